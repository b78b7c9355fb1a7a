# cmake -DTSMC=... -DPYTHON=... -DSOURCE=... -DFOLDER=... -P export_digits.cmake
#
# Exports tests/models/digits.pt to FOLDER/digits.tsm, as ./demo does, and once more to FOLDER/digits_case.tsm with a
# held-out image and PyTorch's scores bundled as a test case, and lists the operators that it needs in
# FOLDER/digits_operators.txt; tests/models/learner.pt, which learns the same, to FOLDER/learner.tsm. Files that would
# not change are left as they are, so that nothing is built again for them.
file(MAKE_DIRECTORY ${FOLDER})
set(model ${SOURCE}/tests/models/digits.pt)
execute_process(COMMAND ${PYTHON} ${SOURCE}/tests/device/digit_case.py ${SOURCE}/tests/models/digits_test.bin
                        ${FOLDER}/digits_inputs.json ${FOLDER}/digits_expected.json COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${TSMC} ${model} -o ${FOLDER}/new.tsm COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${TSMC} ${model} -o ${FOLDER}/new_case.tsm --bundle ${FOLDER}/digits_inputs.json
                        --expect ${FOLDER}/digits_expected.json
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${TSMC} ${model} --dump ops OUTPUT_FILE ${FOLDER}/new_operators.txt
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${TSMC} ${SOURCE}/tests/models/learner.pt --method learn --method recognize
                        --example ${SOURCE}/tests/models/learner_example.json -o ${FOLDER}/new_learner.tsm
                COMMAND_ERROR_IS_FATAL ANY)
file(COPY_FILE ${FOLDER}/new_learner.tsm ${FOLDER}/learner.tsm ONLY_IF_DIFFERENT)
file(COPY_FILE ${FOLDER}/new.tsm ${FOLDER}/digits.tsm ONLY_IF_DIFFERENT)
file(COPY_FILE ${FOLDER}/new_case.tsm ${FOLDER}/digits_case.tsm ONLY_IF_DIFFERENT)
file(COPY_FILE ${FOLDER}/new_operators.txt ${FOLDER}/digits_operators.txt ONLY_IF_DIFFERENT)
