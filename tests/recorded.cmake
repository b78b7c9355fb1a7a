# add_recorded_tests(NAME): the tests NAME.AREA of a folder with recorded programs (run_recorded.py), and NAME.unpack
# before them.
function(add_recorded_tests name)
    set(here ${CMAKE_CURRENT_SOURCE_DIR})
    set(tests ${PROJECT_SOURCE_DIR}/tests)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${here}/areas.txt)
    add_test(NAME ${name}.unpack
             COMMAND ${Python3_EXECUTABLE} ${tests}/packs.py ${here}/cases.tar.xz ${CMAKE_CURRENT_BINARY_DIR}/unpacked)
    set_tests_properties(${name}.unpack PROPERTIES FIXTURES_SETUP ${name}_unpacked)
    file(STRINGS ${here}/areas.txt areas)
    foreach(line ${areas})
        string(REGEX REPLACE " .*" "" area ${line})
        add_test(NAME ${name}.${area}
                 COMMAND ${Python3_EXECUTABLE} ${tests}/run_recorded.py $<TARGET_FILE:tsmc_server> $<TARGET_FILE:tsmrun_server> ${here}
                         ${CMAKE_CURRENT_BINARY_DIR}/unpacked ${area})
        set_tests_properties(${name}.${area} PROPERTIES FIXTURES_REQUIRED ${name}_unpacked LABELS ${name} TIMEOUT 900)
    endforeach()
endfunction()
