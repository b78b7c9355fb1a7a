/* The recording, in the flash; a board with a microphone has none. */
    .section .rodata.recording, "a"
    .balign 4
    .global recording
recording:
    .incbin "recording.wav"
    .global recording_end
recording_end:
