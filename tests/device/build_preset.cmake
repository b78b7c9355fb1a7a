# cmake -DPRESET=P -DSOURCE=... -DMODEL=digits.tsm -DCASE=digits_case.tsm -DOPERATORS=list -DDEEP=deep.tsm
#       -DLEARNER=learner.tsm -P build_preset.cmake
#
# Configures and builds a preset, with one job: ctest runs such tests side by side, on as many
# processors as it was given.
execute_process(COMMAND ${CMAKE_COMMAND} -E env TSM_JOBS=1 ${SOURCE}/toolchain/build.sh ${PRESET}
                        -DTSM_DIGITS_MODEL=${MODEL} -DTSM_DIGITS_CASE=${CASE} -DTSM_DIGITS_OPERATORS=${OPERATORS}
                        -DTSM_DEEP_PROGRAM=${DEEP} -DTSM_LEARNER_MODEL=${LEARNER}
                COMMAND_ERROR_IS_FATAL ANY)
