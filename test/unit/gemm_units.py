"""gemm_units.py WORK CK HOME KERNELS UNIT…: the table of ordinary units, for test/real-units-gemm.sh; run inside of the HIP root.

Each UNIT, a source of ComposableKernel's GEMM instances without its ending, is compiled by the real compiler and as a lazy unit, and KERNELS of
its kernels from the unit's text. Printed are seconds of a processor, bytes, and what differs from the kernel in the real compiler's code object. Then both
lots of objects are linked. WORK keeps the real compiler's objects and times, and takes them again.
"""
import json
import os
import resource
import subprocess
import sys

WORDS = '''-std=c++17 -O3 -fPIC -DNDEBUG -D__HIP_PLATFORM_AMD__=1 -DCK_ENABLE_INT8 -DCK_ENABLE_FP16 -DCK_ENABLE_FP32 -DCK_ENABLE_FP64 -DCK_ENABLE_BF16
-DCK_ENABLE_FP8 -DCK_ENABLE_BF8 -DCK_TIME_KERNEL=1 -DCK_USE_XDL -DCK_USE_GFX94 -DCK_USE_FNUZ_FP8 -Wno-everything -fno-offload-uniform-block
-mllvm --lsr-drop-solution=1 -mllvm -enable-post-misched=0 -mllvm -amdgpu-early-inline-all=true -mllvm -amdgpu-function-calls=false'''.split()
ARCH = 'gfx942'
INSTANCES = 'library/src/tensor_operation_instance/gpu/gemm'
here = os.path.dirname(os.path.abspath(__file__))
bundler = '/usr/lib/llvm-22/bin/clang-offload-bundler'


def run(*command):
    """seconds of a processor that COMMAND took"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit('%s: %s' % (' '.join(command), done.stdout.decode(errors='replace')[-2000:]))
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def entry(*command):
    done = subprocess.run((sys.executable, here + '/kernel_entry.py') + command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode(errors='replace').strip()


def stock(work, source, words, name):
    """the real compiler's object, its seconds"""
    made, log = '%s/stock/%s.o' % (work, name), '%s/stock/times' % work
    os.makedirs(work + '/stock', exist_ok=True)
    if not os.path.exists(made):
        seconds = run('hipcc', *words, '-c', source, '-o', made + '.part')
        os.rename(made + '.part', made)
        with open(log, 'a') as f:
            f.write('%s %.1f 0\n' % (name, seconds))
    rows = [line.split() for line in open(log)]
    return made, [float(r[1]) + float(r[2]) for r in rows if r[0] == name][-1]


def whole(made, code):
    run('objcopy', '-O', 'binary', '--only-section=.hip_fatbin', made, code + '.fatbin')
    run(bundler, '--unbundle', '--type=o', '--input=' + code + '.fatbin', '--output=' + code,
        '--targets=hipv4-amdgcn-amd-amdhsa--' + ARCH)


def kernels_of(code):
    symbols = subprocess.run(['readelf', '--dyn-syms', '-W', code], stdout=subprocess.PIPE, check=True).stdout.decode().split()
    return sorted(s[:-3] for s in symbols if s.endswith('.kd'))


def sample(names, n):
    return [names[i * len(names) // n] for i in range(n)] if n < len(names) else names


def record_of(home, made):
    rows = [json.loads(line) for line in open(home + '/work/manifest.json.ndjson')]
    found = [r for r in rows if r.get('output') == made and r.get('kind') == 'unit']
    return found[-1] if found else sys.exit(made + ': it is no lazy unit')


def one_kernel(work, record, name, code):
    """the seconds of kernel NAME, the entry's size, what differs"""
    made = work + '/kernel.so'
    flags = ' '.join("'%s'" % w for w in record['device'])
    seconds = run(os.environ['B'] + '/bin/ckjit-compile', '--kernel', name, '--blob-source', record['device_text'], '--blob-flags', flags,
                  '--arch', ARCH, '--build-id', record['key'] + '0123456789abcdef', '--kind', 'hip', '--hipcc', 'hipcc',
                  '--output', made)
    for command in (('fatbin', made, work + '/kernel.fatbin'), ('code', work + '/kernel.fatbin', ARCH, work + '/kernel.co')):
        status, said = entry(*command)
        if status:
            return seconds, os.path.getsize(made), said
    return seconds, os.path.getsize(made), entry('same', code, work + '/kernel.co', name)[1]


def main(work, ck, home, kernels, units):
    words = WORDS + ['-I%s/gen' % work, '-I%s/include' % ck, '-I%s/library/include' % ck, '--offload-arch=' + ARCH]
    objects = [], []
    print('unit\tkernels\tstock s\thost s\tratio\tstock bytes\tlazy bytes\tone kernel, s\tratio\tentry bytes\tcompared, equal but for distances')
    equal = compared = 0
    wrong = []  # more than instructions
    for unit in units:
        source, name = '%s/%s/%s.cpp' % (ck, INSTANCES, unit), os.path.basename(unit)
        made, seconds = stock(work, source, words, name)
        lazy, code = '%s/%s.lazy.o' % (work, name), '%s/%s.co' % (work, name)
        host = run(home + '/bin/hipcc', *words, '-c', source, '-o', lazy)
        whole(made, code)
        names = kernels_of(code)
        found = [one_kernel(work, record_of(home, lazy), n, code) for n in sample(names, kernels)]
        same = [f for f in found if f[2].isdigit()]
        for n, f in zip(sample(names, kernels), found):
            if not f[2].isdigit():
                print('# %s: %s' % (n, f[2][:300]))
        for f in found:
            if not f[2].isdigit() and ' bytes' not in f[2] and 'differs at' not in f[2]:
                wrong.append(f[2])
        equal, compared = equal + len(same), compared + len(found)
        mean = sum(f[0] for f in found) / len(found)
        print('%s\t%d\t%.1f\t%.1f\t%.3f\t%d\t%d\t%.1f (%.1f to %.1f)\t%.3f\t%d\t%d of %d' %
              (unit, len(names), seconds, host, host / seconds, os.path.getsize(made), os.path.getsize(lazy), mean,
               min(f[0] for f in found), max(f[0] for f in found), mean / seconds, max(f[1] for f in found), len(same), len(found)),
              flush=True)
        objects[0].append(made)
        objects[1].append(lazy)
    for compiler, made, name in (('hipcc', objects[0], 'stock'), (home + '/bin/hipcc', objects[1], 'lazy')):
        seconds = run(compiler, '-shared', '-fPIC', '--offload-arch=' + ARCH, *made, '-o', '%s/lib%s.so' % (work, name))
        print('# library, %s: %d bytes, linked in %.1f s' % (name, os.path.getsize('%s/lib%s.so' % (work, name)), seconds))
    print('# kernels: %d of %d equal but for distances' % (equal, compared))
    if wrong:
        sys.exit('\n'.join(wrong))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5:])
