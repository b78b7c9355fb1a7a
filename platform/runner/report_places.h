/* A file's sources and places, for reports. */
#ifndef TSM_RUNNER_REPORT_PLACES_H
#define TSM_RUNNER_REPORT_PLACES_H

#include "platform/report/report.h"
#include "schema/generated/tsmobile_reader.h"

/* Members "sources", as in the file, and "places", which are its calls, of the object that is open. */
void report_file_places(report *out, tsmf_Program root);

#endif
