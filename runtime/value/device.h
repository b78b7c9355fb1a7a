/* What devices are called. */
#ifndef TSM_VALUE_DEVICE_H
#define TSM_VALUE_DEVICE_H

enum { TSM_DEVICE_TYPES = 20 };

/* In the order of PyTorch's DeviceType, whose numbers values hold (tsm_name_at). */
extern const char tsm_device_names[];

#endif
