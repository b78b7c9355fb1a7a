# tsmobile_add_model(TARGET MODEL [NAME name] [EXAMPLE [method=]inputs.json...] [METHODS method...] [OPTIONS option...])
#
# Exports MODEL (what tsmc takes: an archive, or FILE.py:NAME) when TARGET is built, and makes it a part of TARGET:
# NAME.h can be included, with the file's bytes, sizes and calls with C types (`tsmc --emit-c`). NAME is MODEL's, unless
# given. TARGET links libtsmobile, of which the linker takes the operators of all of TARGET's models and no
# others. OPTIONS are given to tsmc; those that are files are found in the folder of the sources, as EXAMPLE is, and the
# model is exported again when they change. TARGET may be a library; of a program's targets one has models.
function(tsmobile_add_model target model)
    cmake_parse_arguments(PARSE_ARGV 2 model "" "NAME" "EXAMPLE;METHODS;OPTIONS")
    if(model_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "tsmobile_add_model: ${model_UNPARSED_ARGUMENTS}: NAME, EXAMPLE, METHODS and OPTIONS are known")
    endif()
    if(NOT TARGET tsmobile::tsmc) # as a part of a project that is built for another machine
        find_program(TSMC_EXECUTABLE tsmc NO_CMAKE_FIND_ROOT_PATH)
        if(TSMC_EXECUTABLE)
            add_executable(tsmobile::tsmc IMPORTED GLOBAL)
            set_property(TARGET tsmobile::tsmc PROPERTY IMPORTED_LOCATION ${TSMC_EXECUTABLE})
        endif()
    endif()
    if(NOT TARGET tsmobile::tsmc)
        message(FATAL_ERROR "tsmobile_add_model needs tsmc of the machine that builds: set TSMC_EXECUTABLE to it, or put it into "
                            "PATH, or set TSM_BUILD_EXPORTER")
    endif()
    # FILE.py:NAME names a file and what is in it.
    string(REGEX REPLACE "(\\.py):.*$" "\\1" file "${model}")
    string(REGEX MATCH ":.*$" entry "${model}")
    get_filename_component(file "${file}" ABSOLUTE)
    if(NOT EXISTS "${file}")
        message(FATAL_ERROR "tsmobile_add_model: there is no ${file}")
    endif()
    if(NOT model_NAME)
        get_filename_component(model_NAME "${file}" NAME_WE)
    endif()
    string(MAKE_C_IDENTIFIER "${model_NAME}" model_NAME)

    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.models)
    file(MAKE_DIRECTORY ${folder})
    set(options ${model_OPTIONS})
    if(NOT "--target" IN_LIST options)
        list(APPEND options --target each) # NAME.h states the buffers of all targets, and has the plan of the one compiled for
    endif()
    set(depends ${file})
    foreach(method IN LISTS model_METHODS)
        list(APPEND options --method ${method})
    endforeach()
    foreach(example IN LISTS model_EXAMPLE)
        string(REGEX MATCH "^[A-Za-z0-9_]+=" method "${example}")
        string(REGEX REPLACE "^[A-Za-z0-9_]+=" "" example "${example}")
        get_filename_component(example "${example}" ABSOLUTE)
        list(APPEND options --example "${method}${example}")
        list(APPEND depends "${example}")
    endforeach()
    foreach(option IN LISTS model_OPTIONS)
        get_filename_component(option "${option}" ABSOLUTE)
        if(EXISTS "${option}" AND NOT IS_DIRECTORY "${option}")
            list(APPEND depends "${option}")
        endif()
    endforeach()
    add_custom_command(OUTPUT ${folder}/${model_NAME}.tsm
                       COMMAND tsmobile::tsmc "${file}${entry}" -o ${folder}/${model_NAME}.tsm ${options}
                       WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} DEPENDS ${depends} tsmobile::tsmc
                       COMMENT "Exporting ${model_NAME}" VERBATIM)
    target_sources(${target} PRIVATE ${folder}/${model_NAME}.h ${folder}/${model_NAME}.c)
    set_property(TARGET ${target} APPEND PROPERTY TSMOBILE_MODELS ${model_NAME})

    # All models of the target are written at once, because they share one operator table: after the last call.
    get_property(is_known TARGET ${target} PROPERTY TSMOBILE_FOLDER)
    if(NOT is_known)
        set_property(TARGET ${target} PROPERTY TSMOBILE_FOLDER ${folder})
        target_sources(${target} PRIVATE ${folder}/operators.c)
        target_include_directories(${target} PRIVATE ${folder})
        target_link_libraries(${target} PRIVATE tsmobile::static)
        if(NOT APPLE)
            target_link_options(${target} PUBLIC LINKER:--gc-sections)
        else()
            target_link_options(${target} PUBLIC LINKER:-dead_strip)
        endif()
        # A linker that does not want the table yet passes over the one in a static library, and takes libtsmobile's.
        get_target_property(type ${target} TYPE)
        if(type STREQUAL STATIC_LIBRARY AND APPLE)
            target_link_options(${target} INTERFACE LINKER:-u,_tsm_operator_table)
        elseif(type STREQUAL STATIC_LIBRARY)
            target_link_options(${target} INTERFACE LINKER:-u,tsm_operator_table)
        endif()
        cmake_language(EVAL CODE "cmake_language(DEFER CALL tsmobile_write_models [[${target}]])")
    endif()
endfunction()

# The rule that writes the models of a target as C.
function(tsmobile_write_models target)
    get_property(models TARGET ${target} PROPERTY TSMOBILE_MODELS)
    get_property(folder TARGET ${target} PROPERTY TSMOBILE_FOLDER)
    set(programs)
    set(written ${folder}/operators.c)
    foreach(model IN LISTS models)
        list(APPEND programs ${folder}/${model}.tsm)
        list(APPEND written ${folder}/${model}.h ${folder}/${model}.c)
    endforeach()
    add_custom_command(OUTPUT ${written} COMMAND tsmobile::tsmc ${programs} --emit-c ${folder}
                       DEPENDS ${programs} tsmobile::tsmc COMMENT "Writing ${models} as C" VERBATIM)
endfunction()
