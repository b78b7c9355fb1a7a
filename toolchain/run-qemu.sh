#!/bin/sh
# run-qemu.sh MACHINE PROGRAM.elf [ARGUMENT...]
#
# Runs a semihosted bare-metal program on a QEMU machine: its files, arguments, streams and exit status are those of
# this process. TSM_QEMU_SECONDS (default 300) bounds the run, for a program that hangs
# has no other end. With TSM_QEMU_COUNT=1, an instruction takes a nanosecond of the board's clock, on every run the
# same. TSM_QEMU_SERIAL is where the board's first serial line ends (QEMU's -serial: unix:/tmp/line), else nowhere.
set -eu

machine=$1
program=$2
shift 2

# A comma separates QEMU's own suboptions, so one inside a value is written twice.
escape() { printf '%s' "$1" | sed 's/,/,,/g'; }

semihosting="enable=on,target=native,arg=$(escape "$(basename "$program")")"
for argument in "$@"; do
    semihosting="$semihosting,arg=$(escape "$argument")"
done

# The RISC-V board starts the program itself instead of its firmware.
system=arm
bios=
if [ "$machine" = virt ]; then
    system=riscv32
    bios='-bios none'
fi

# shellcheck disable=SC2086 # an option and its value, or nothing
exec timeout "${TSM_QEMU_SECONDS:-300}" "qemu-system-$system" -M "$machine" $bios -display none -monitor none -serial "${TSM_QEMU_SERIAL:-none}" \
    -audiodev none,id=none ${TSM_QEMU_COUNT:+-icount shift=0} \
    -semihosting-config "$semihosting" -kernel "$program" </dev/null
