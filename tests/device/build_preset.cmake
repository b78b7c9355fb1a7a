# cmake -DPRESET=P -DSOURCE=... -DMODEL=digits.tsm -DOPERATORS=list -P build_preset.cmake: configures and builds a preset.
execute_process(COMMAND ${CMAKE_COMMAND} --preset ${PRESET} -DTSM_DIGITS_MODEL=${MODEL} -DTSM_DIGITS_OPERATORS=${OPERATORS}
                WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build --preset ${PRESET} WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
