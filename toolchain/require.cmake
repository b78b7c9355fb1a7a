# tsm_require(PROGRAM JOB): stops with a sentence that says what to do when a cross compiler is not installed.
function(tsm_require program job)
    find_program(found_${program} ${program})
    mark_as_advanced(found_${program})
    if(NOT found_${program})
        message(FATAL_ERROR "${program} is not installed; `toolchain/setup.sh ${job}` installs it.")
    endif()
endfunction()
