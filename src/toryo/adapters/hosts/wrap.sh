#!/bin/sh
# Runs a command and records how it ended:  sh wrap.sh DIR STDIN argv...
#
# DIR/pid         created exclusively, holds this shell's pid; whoever comes second leaves without running anything
# DIR/output.log  stdout and stderr of the command, appended; not if STDIN is `-`: then all three stay as they are
# DIR/exit        {"code": N}, complete as soon as it exists; 128+n after signal n, 127 if there is no such command
#
# Names begin with toryo_ because assigning to a variable of the caller would change what the command sees.

# Handlers, not '': ignored signals would stay ignored in the command, handled ones are reset for it.
trap : HUP INT QUIT PIPE ALRM TERM USR1 USR2

toryo_dir=$1 toryo_stdin=$2 toryo_mask=$(umask)
shift 2
umask 077

set -C
true 2>/dev/null >"$toryo_dir/pid" || exit 0
set +C
# Claimed, but nothing can be written: give the claim back, so that it can be tried again.
echo $$ 2>/dev/null >"$toryo_dir/pid" || { PATH=/usr/bin:/bin:$PATH; exec rm -f "$toryo_dir/pid"; }

# Room for the exit record, so that a command which fills the disk cannot keep its own end from being recorded.
echo '                        ' 2>/dev/null >"$toryo_dir/exit.tmp"

# In the foreground, because `cmd &` would make it ignore INT and QUIT, and because `wait` returns early on each
# handled signal while a foreground wait goes on until the command has really ended.
# By exec, so that a command called `exit` or `test` is a program and not a builtin.
toryo_run() {
    # Short of memory, the kernel shall take the command before whoever conducts it. Inherited by all its
    # descendants and legible even on dead ones, this also tells orphans of a run from other processes.
    toryo_score=/proc/self/oom_score_adj
    { read -r toryo_adj <$toryo_score && echo $((toryo_adj + 100)) >$toryo_score; } 2>/dev/null
    umask "$toryo_mask" && exec "$@"
}
if [ "$toryo_stdin" = - ]; then
    (toryo_run "$@")
else
    (toryo_run "$@") >>"$toryo_dir/output.log" 2>&1 <"$toryo_stdin"
fi
toryo_code=$?

# From here on signals are ignored for good, so that they cannot hurt the programs below either.
trap '' HUP INT QUIT PIPE ALRM TERM USR1 USR2
PATH=/usr/bin:/bin:$PATH
until echo "{\"code\": $toryo_code}" 2>/dev/null 1<>"$toryo_dir/exit.tmp"; do
    [ -d "$toryo_dir" ] || exit 0
    sleep 1
done
# By exec: no further process that somebody clearing up after the command could take for a leftover.
exec mv -f "$toryo_dir/exit.tmp" "$toryo_dir/exit"
