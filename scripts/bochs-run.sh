#!/usr/bin/env bash
# Runs a static linux/amd64 program on an emulated CPU with AVX-512 and the SHA extensions, on any Linux machine:
# Debian's kernel boots under Bochs with the program in its initramfs. See usage below.
set -euo pipefail
{ # so that bash reads the file whole before it starts

usage() {
  cat <<'END'
usage: bochs-run.sh [options] PROGRAM [ARGUMENT...]
       CGO_ENABLED=0 go test -exec "$PWD/scripts/bochs-run.sh [options]" PACKAGE...
       bochs-run.sh -i                 only install and unpack what is needed

Prints what PROGRAM printed (standard error goes to standard output, standard input is empty) and exits as it did.
PROGRAM starts in the same working directory as here, which holds there: its testdata folder and what -f brings.

  -e NAME[=VALUE]  set an environment variable there; without =VALUE as it is here. Nothing else is taken over.
  -f PATH          take this file or folder along, to the same absolute path
  -m MODEL         the CPU (bochs --help cpu); default corei7_skylake_x: AVX-512 F, BW, CD, DQ, VL, and BMI2, but no SHA. Others, with
                   their faults in Bochs 2.7: corei3_cnl has SHA too, but SHA1RNDS4 is wrong; corei7_icelake_u likewise, and Go's garbage
                   collector fails there (unless GODEBUG=cpu.avx512dq=off); corei7_haswell_4770 has AVX2; core2_penryn_t9600 SSE4.1
  -n FEATURES      fail unless /proc/cpuinfo names all of these there, separated by commas (such as avx512vl,sha_ni)
  -r MIB           memory, default 512
  -t SECONDS       time limit for the emulation, default 900
  -v               say how long it took and keep the kernel's messages on standard error

Exit status: PROGRAM's own (128+N if signal N ended it); 124 at the time limit; 125 if the emulation itself failed,
which is also a status of 0 that PROGRAM never reported.

The clock there counts instructions, 30 million a second, which is near the real speed.
Needs Debian's or Ubuntu's apt-get: the packages bochs, bochs-term, cpio, binutils and lz4 are installed if missing (as root, or through
sudo); the kernel and busybox are only unpacked, into $BOCHS_RUN_CACHE (default ~/.cache/bochs-run).
$BOCHS_RUN_KERNEL names a bzImage to use instead of the kernel from the package linux-image-cloud-amd64.
END
}

say() { echo "bochs-run: $*" >&2; }
die() { say "$*"; exit 125; }

environment=() files=() model=corei7_skylake_x needs='' memory=512 limit=900 verbose='' only_install=''
while getopts e:f:im:n:r:t:vh option; do
  case $option in
    e) environment+=("$OPTARG") ;;
    f) files+=("$OPTARG") ;;
    i) only_install=1 ;;
    m) model=$OPTARG ;;
    n) needs=$OPTARG ;;
    r) memory=$OPTARG ;;
    t) limit=$OPTARG ;;
    v) verbose=1 ;;
    h) usage; exit 0 ;;
    *) usage >&2; exit 125 ;;
  esac
done
shift $((OPTIND - 1))
[ -n "$only_install" ] || [ $# -gt 0 ] || { usage >&2; exit 125; }
[[ $memory =~ ^[0-9]+$ && $memory -ge 256 && $memory -le 2048 ]] || die "-r $memory: 256 to 2048 MiB"
[[ $limit =~ ^[1-9][0-9]*$ ]] || die "-t $limit: not a number of seconds"

# ---- What is needed: packages to install, and a kernel and busybox to unpack.

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

updated=''
update() {
  [ -z "$updated" ] || return 0
  updated=1
  as_root apt-get update -qq >&2 || say 'apt-get update failed; going on with the lists that there are'
}

install_packages() {
  local missing=() pair
  for pair in bochs-bin:bochs bochs-term:bochs-term cpio:cpio as:binutils ld:binutils objcopy:binutils lz4:lz4 script:bsdutils; do
    case $pair in
      bochs-term:*) dpkg -s bochs-term >/dev/null 2>&1 || missing+=(bochs-term bochsbios vgabios) ;;
      *) command -v "${pair%:*}" >/dev/null || missing+=("${pair#*:}") ;;
    esac
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || die "missing: ${missing[*]} (and no apt-get to install them)"
  update
  DEBIAN_FRONTEND=noninteractive as_root apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 ||
    die "cannot install: ${missing[*]}"
}

# Unpacks a package into a folder without installing it.
unpack() { # package, folder
  local dir
  dir=$(mktemp -d)
  chmod 777 "$dir" # apt-get downloads as another user
  (cd "$dir" && apt-get download -qq "$1" >&2) || { rm -rf "$dir"; return 1; }
  mkdir -p "$2"
  dpkg-deb -x "$dir"/*.deb "$2" || { rm -rf "$dir"; return 1; }
  rm -rf "$dir"
}

# The kernel proper, uncompressed and laid out as in memory from 16 MiB on: Bochs would take half a minute to unpack it.
flat_kernel() { # bzImage, output
  local image=$1 elf=$2.elf setup offset length
  number() { od -An -t "u$2" -j "$1" -N "$2" "$image" | tr -d ' '; }
  [ "$(number $((0x1fe)) 2)" = $((0xaa55)) ] || { say "$image is no bzImage"; return 1; }
  setup=$((($(number $((0x1f1)) 1) + 1) * 512))
  offset=$((setup + $(number $((0x248)) 4)))
  length=$(number $((0x24c)) 4)
  payload() { tail -c +$((offset + 1)) "$image" | head -c "$length"; }
  local unpacker
  case $(payload 2>/dev/null | head -c 4 | od -An -tx1 | tr -d ' ') in
    02214c18) unpacker='lz4 -dc' ;;
    1f8b*) unpacker='gzip -dc' ;;
    fd377a58) unpacker='xz -dc' ;;
    28b52ffd) unpacker='zstd -dc' ;;
    *) say "$image: unknown compression"; return 1 ;;
  esac
  payload | head -c -4 | $unpacker >"$elf" 2>/dev/null || true # 4 bytes of length follow
  objcopy -O binary "$elf" "$2" || return 1
  [ "$(readelf -h "$elf" | awk '/Entry point/ {print $NF}')" = 0x1000000 ] || { say "$image: its entry is not at 16 MiB"; return 1; }
  rm -f "$elf"
}

cache=${BOCHS_RUN_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/bochs-run}
prepare() {
  [ "$(uname -sm)" = 'Linux x86_64' ] || die "needs Linux on x86-64"
  install_packages
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock 9
  local work
  if [ ! -x "$cache/busybox" ]; then
    work=$(mktemp -d "$cache/tmp.XXXXXX")
    unpack busybox-static "$work" || { update; unpack busybox-static "$work"; } || die 'cannot get the package busybox-static'
    mv "$(find "$work" -path '*/bin/busybox')" "$cache/busybox"
    rm -rf "$work"
  fi
  kernel=$cache/kernel
  [ -z "${BOCHS_RUN_KERNEL:-}" ] || kernel=$cache/kernel-$(sha256sum "$BOCHS_RUN_KERNEL" | head -c 16)
  if [ ! -s "$kernel" ]; then
    work=$(mktemp -d "$cache/tmp.XXXXXX")
    local image=${BOCHS_RUN_KERNEL:-}
    if [ -z "$image" ]; then
      package() { apt-cache depends linux-image-cloud-amd64 2>/dev/null | awk '$1 == "Depends:" {print $2; exit}'; }
      [ -n "$(package)" ] || update
      [ -n "$(package)" ] || die 'apt-get has no package linux-image-cloud-amd64; name a bzImage in $BOCHS_RUN_KERNEL'
      unpack "$(package)" "$work" || { update; unpack "$(package)" "$work"; } || die "cannot get the package $(package)"
      image=$(find "$work/boot" -name 'vmlinuz-*' | head -1)
    fi
    flat_kernel "$image" "$work/kernel" || die "cannot unpack the kernel $image"
    mv "$work/kernel" "$kernel"
    rm -rf "$work"
  fi
  exec 9>&-
}
prepare
[ -z "$only_install" ] || exit 0

program=$1
shift
[ -f "$program" ] && [ -x "$program" ] || die "$program: no executable file"
if readelf -lW "$program" 2>/dev/null | grep -q INTERP; then die "$program is not static: build it with CGO_ENABLED=0"; fi

tmp=$(mktemp -d)
kill_bochs() { [ ! -s "$tmp/pid" ] || kill -KILL "$(cat "$tmp/pid")" 2>/dev/null || true; }
cleanup() {
  kill_bochs
  rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# ---- The initramfs: busybox, the program, the files it asked for, and an /init that runs it.

quote() { local s=${1//\'/\'\\\'\'}; printf "'%s'" "$s"; }

root=$tmp/root
mkdir -p "$root"/{bin,dev,proc,sys,tmp} "$root$PWD"
chmod 1777 "$root/tmp"
cp "$cache/busybox" "$root/bin/busybox"
cp "$program" "$root/program"
chmod 755 "$root/program"
[ ! -d testdata ] || files+=(testdata)
for file in "${files[@]}"; do
  [ -e "$file" ] || die "-f $file: not there"
  path=$(realpath "$file")
  mkdir -p "$root$(dirname "$path")"
  cp -rL "$path" "$root$(dirname "$path")/"
done

# The marker that carries the exit status can't be in the program's output by chance.
marker=bochs-run-$(od -An -tx8 -N16 /dev/urandom | tr -d ' \n')
{
  cat <<'END'
#!/bin/busybox sh
b=/bin/busybox
$b mount -t devtmpfs dev /dev
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b stty raw -echo </dev/ttyS1
(
flags=" $($b grep -m1 ^flags /proc/cpuinfo) "
missing=
END
  for need in ${needs//,/ }; do
    echo "case \$flags in *' $need '*) ;; *) missing=\"\$missing $need\" ;; esac"
  done
  echo "if [ -n \"\$missing\" ]; then echo $marker missing\$missing; exit; fi"
  echo "cd $(quote "$PWD")"
  echo "echo $marker start \$(\$b cut -d' ' -f1 /proc/uptime)"
  echo -n '$b env -i HOME=/tmp TMPDIR=/tmp PATH=/bin'
  for variable in "${environment[@]}"; do
    if [[ $variable != *=* ]]; then
      [ -n "${!variable+set}" ] || continue
      variable=$variable=${!variable}
    fi
    printf ' %s' "$(quote "$variable")"
  done
  echo -n ' /program'
  for argument in "$@"; do printf ' %s' "$(quote "$argument")"; done
  echo " </dev/null"
  echo "echo $marker exit \$? \$(\$b cut -d' ' -f1 /proc/uptime)"
  echo ') >/dev/ttyS1 2>&1' # closing the line waits until it is sent
  echo '$b reboot -f'
} >"$root/init"
chmod 755 "$root/init"
(cd "$root" && find . -print0 | cpio -0 -o -H newc -R 0:0 --quiet) >"$tmp/initrd"

# ---- The machine. Bochs puts one file into memory before it starts: the kernel, and the initramfs behind it. A ROM of our own takes the
# BIOS's place and goes straight to the kernel's 64-bit entry, so there is no boot loader and nothing to unpack.

start=$((0x1000000))
page=4096
initrd=$(((start + $(stat -Lc %s "$kernel") + 0x200000) / page * page))
cp "$kernel" "$tmp/image"
truncate -s $((initrd - start)) "$tmp/image"
initrd_size=$(stat -c %s "$tmp/initrd")
cat "$tmp/initrd" >>"$tmp/image"
rm "$tmp/initrd"
image_size=$(stat -c %s "$tmp/image")
[ $((start + image_size + initrd_size + (64 << 20))) -lt $((memory << 20)) ] || die "the program and its files don't fit into $memory MiB: use -r"

mips=30
# clearcpuid: aperfmperf (124) and fast string moves (580), which Bochs has only in part, and pku (515), xsavec (321), xsaves (323), whose
# sizes in CPUID are wrong in Bochs 2.7, so that Linux would turn AVX off. The initcalls left out cost a quarter of the time.
skip=trace_eval_init,init_kprobe_trace,ftrace_check_for_weak_functions,tracer_init_tracefs,init_trace_printk_function_export
skip+=,init_graph_tracefs,bpf_rstat_kfunc_init,bpf_key_sig_kfuncs_init,kfunc_init,bpf_tcp_ca_kfunc_init,bpf_prog_test_run_init,cubictcp_register
skip+=,load_system_certificate_list,init_evm,init_ima,integrity_iintcache_init,blake2s_mod_init,crypto_kdf108_init,i8042_init,cmos_init
skip+=,hugetlb_init,inet6_init,intel_pstate_init,slab_sysfs_init,xenbus_probe_backend_init,vga_arb_device_init,init_hw_perf_events,dquot_init
cmdline="console=ttyS0,115200 loglevel=3 nokaslr mitigations=off acpi=off reboot=t panic=-1 random.trust_cpu=on rodata=off"
cmdline+=" clearcpuid=124,321,323,515,580 tsc_early_khz=${mips}000 lpj=$((mips * 4000)) tsc=reliable no_timer_check"
cmdline+=" cryptomgr.notests=1 lsm=capability audit=0 nosoftlockup nowatchdog initcall_blacklist=$skip"
[ ${#cmdline} -lt 2047 ] || die 'kernel command line too long'

printf '%s' "$cmdline" >"$tmp/cmdline"
cat >"$tmp/rom.s" <<'END'
	.code16
rom:
start16:
	cli
	lgdtl %cs:(gdtr - rom)
	movl %cr0, %eax
	orl $1, %eax
	movl %eax, %cr0
	ljmpl $0x10, $start32

	.code32
start32:
	movl $0x18, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %ss
	# Bochs hands out its memory in blocks of 128 KiB in the order of their first use, but reads the image into consecutive ones. So use
	# them in that order before anything else.
	movl $KERNEL, %esi
1:	movb (%esi), %al
	addl $0x20000, %esi
	cmpl $IMAGE_END, %esi
	jb 1b
	movl %cr4, %eax
	orl $0x20, %eax # PAE
	movl %eax, %cr4
	movl $pml4, %eax
	movl %eax, %cr3
	movl $0xc0000080, %ecx # EFER
	rdmsr
	orl $0x100, %eax # LME
	wrmsr
	movl %cr0, %eax
	orl $0x80000000, %eax # PG
	movl %eax, %cr0
	ljmpl $0x20, $start64

	.code64
start64:
	movl $params, %esi
	movl $KERNEL, %eax
	jmp *%rax

	.p2align 4
gdtr:	.word gdt_end - gdt - 1
	.long gdt
	.p2align 4
gdt:	.quad 0, 0
	.quad 0x00cf9b000000ffff # 0x10: code, 32 bits
	.quad 0x00cf93000000ffff # 0x18: data
	.quad 0x00af9b000000ffff # 0x20: code, 64 bits
gdt_end:

	.p2align 12
pml4:	.quad pdpt + 0x63
	.fill 511, 8, 0
pdpt:	.quad 0x00000000 + 0xe3, 0x40000000 + 0xe3, 0x80000000 + 0xe3, 0xc0000000 + 0xe3 # the first 4 GiB as they are
	.fill 508, 8, 0

# struct boot_params, see Documentation/x86/boot.rst and zero-page.rst
params:
	.org 0x3000 + 0x1e8
	.byte 2 # entries in the memory map
	.org 0x3000 + 0x1fe
	.word 0xaa55
	.org 0x3000 + 0x202
	.ascii "HdrS"
	.word 0x20f
	.org 0x3000 + 0x210
	.byte 0xff, 0x01 # boot loader: other; loaded high
	.org 0x3000 + 0x218
	.long INITRD, INITRD_SIZE
	.org 0x3000 + 0x228
	.long cmdline
	.org 0x3000 + 0x238
	.long 2047
	.org 0x3000 + 0x2d0
	.quad 0, 0x9f000
	.long 1
	.quad 0x100000, MEMORY - 0x100000
	.long 1
	.org 0x4000
cmdline:
	.incbin "cmdline"
	.byte 0

	.org 0xfff0 # where the CPU starts
	.code16
	jmp start16
	.org 0x10000
END
(cd "$tmp" && as --64 -o rom.o rom.s --defsym KERNEL=$start --defsym IMAGE_END=$((start + image_size)) --defsym INITRD=$initrd \
  --defsym INITRD_SIZE="$initrd_size" --defsym MEMORY=$((memory << 20)) &&
  ld -Ttext=0xf0000 -e 0 --oformat binary -o rom.bin rom.o) || die 'cannot assemble the ROM'

cat >"$tmp/bochsrc" <<END
plugin_ctrl: unmapped=0, biosdev=0, speaker=0, gameport=0, extfpuirq=0, parallel=0
display_library: term
cpu: model=$model, count=1, ips=${mips}000000, reset_on_triple_fault=0, ignore_bad_msrs=1
memory: guest=$memory, host=$memory
romimage: file=$tmp/rom.bin, address=0xffff0000
optramimage1: file=$tmp/image, address=$(printf '0x%x' $start)
pci: enabled=0
clock: sync=none, time0=utc
com1: enabled=1, mode=file, dev=$tmp/console
com2: enabled=1, mode=file, dev=$tmp/output
log: $tmp/log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
END
printf 'c\nq\n' >"$tmp/debugger" # Debian's Bochs waits in its debugger

# ---- Run it. Bochs ends with a panic at the triple fault that is the reboot; only the marker in the output tells how it went. The display
# needs a terminal, even to show nothing.

begin=$(date +%s)
TERM=xterm script -qec "echo \$\$ >$tmp/pid; exec bochs-bin -q -f $tmp/bochsrc -rc $tmp/debugger" /dev/null \
  >"$tmp/screen" 2>&1 </dev/null &
terminal=$!
timed_out=''
while kill -0 "$terminal" 2>/dev/null; do
  if [ $(($(date +%s) - begin)) -ge "$limit" ]; then
    timed_out=1
    kill_bochs
    break
  fi
  sleep 0.2
done
wait "$terminal" || true
seconds=$(($(date +%s) - begin))

touch "$tmp/output" "$tmp/console"
# Prints the output without the marker's lines; the last of them goes to the file result.
awk -v marker="$marker" -v result="$tmp/result" '
  BEGIN { RS = "\n" }
  { at = index($0, marker)
    if (at) { print substr($0, at + length(marker) + 1) >result; $0 = substr($0, 1, at - 1); if ($0 == "") next; printf "%s", $0; next }
    print }' "$tmp/output"
read -r what value rest < <(tail -n 1 "$tmp/result" 2>/dev/null || true) || true

if [ -n "$verbose" ]; then
  cat "$tmp/console" >&2
  say "$seconds s in all; guest's clock at start and exit: $(awk '{print $NF}' "$tmp/result" 2>/dev/null | tr '\n' ' ')"
fi
case ${what:-} in
  exit)
    [[ $value =~ ^[0-9]+$ ]] || die "bad exit marker: $value"
    exit "$value"
    ;;
  missing) die "the CPU $model lacks there: $value $rest" ;;
esac
[ -n "$verbose" ] || cat "$tmp/console" >&2
if [ -n "$timed_out" ]; then
  say "stopped after $seconds s, the time limit (-t)"
  exit 124
fi
tail -n 5 "$tmp/log" >&2 2>/dev/null || true
tail -n 5 "$tmp/screen" | tr -d '\033' >&2 || true
die "the emulation ended without the program's exit status"
}
