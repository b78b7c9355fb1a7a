# cmake -DTSMC=... -DPYTHON=... -DSOURCE=... -DFOLDER=... -P export_digits.cmake
#
# Exports tests/models/digits.pt to FOLDER/digits.tsm, with a held-out image and PyTorch's scores bundled as a test
# case, and lists the operators that it needs in FOLDER/digits_operators.txt.
file(MAKE_DIRECTORY ${FOLDER})
set(model ${SOURCE}/tests/models/digits.pt)
execute_process(COMMAND ${PYTHON} ${SOURCE}/tests/device/digit_case.py ${SOURCE}/tests/models/digits_test.bin
                        ${FOLDER}/digits_inputs.json ${FOLDER}/digits_expected.json COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${TSMC} ${model} -o ${FOLDER}/digits.tsm --bundle ${FOLDER}/digits_inputs.json
                        --expect ${FOLDER}/digits_expected.json
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${TSMC} ${model} --dump ops OUTPUT_FILE ${FOLDER}/digits_operators.txt
                COMMAND_ERROR_IS_FATAL ANY)
