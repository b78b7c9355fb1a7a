/* The digits model as constant data of a bare-metal program; TSM_DIGITS_MODEL is the path of the .tsm. */
__asm__(".section .rodata.digits_model,\"a\"\n"
        ".balign 64\n"
        ".global digits_model\n"
        "digits_model:\n"
        ".incbin \"" TSM_DIGITS_MODEL "\"\n"
        ".global digits_model_end\n"
        "digits_model_end:\n");

/* ISO C wants a declaration in every file. */
extern const char digits_model[];
