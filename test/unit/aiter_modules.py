"""aiter_modules.py headers WORK: PyTorch's headers as its builds for ROCm have them, in WORK/torch.
aiter_modules.py prepare WORK AITER CK MODULE…: the sources of aiter's modules, as aiter's own build has them when it starts the compiler, in WORK/MODULE.
aiter_modules.py measure WORK HOME KERNELS GENERATED MODULE…: their units, by the real compiler and as ckjit has them, and KERNELS kernels of each: the
table of test/real-aiter-modules.sh, which says what else is in WORK.

aiter/jit/optCompilerConfig.json says which files a module has, its flags and its generator, aiter/jit/core.py what is done with them: the sources
are copied to one directory as .cu, the generator writes more, hipify rewrites all. The generators need torch and pandas. Of a generator's units, and of those of
a directory that the module names as a whole, GENERATED are compiled. The last step runs inside of the HIP root, the first two outside. WORK keeps the real compiler's seconds, and takes them again.
"""
import json
import os
import shutil
import subprocess
import sys
import sysconfig

from gemm_units import ARCH, entry, kernels_of, one_kernel, run, sample, whole

# core.py, build_module() and cpp_extension.py, for HIP 7
WORDS = '''-DLEGACY_HIPBLAS_DIRECT -DUSE_PROF_API=1 -D__HIP_PLATFORM_HCC__=1 -D__HIP_PLATFORM_AMD__=1 -U__HIP_NO_HALF_CONVERSIONS__
-U__HIP_NO_HALF_OPERATORS__ -mllvm --amdgpu-kernarg-preload-count=16 -Wno-everything -fgpu-flush-denormals-to-zero -mllvm --lsr-drop-solution=1
-fno-offload-uniform-block -mllvm -enable-post-misched=0 -mllvm -amdgpu-early-inline-all=true -mllvm -amdgpu-function-calls=false
-fPIC -DUSE_ROCM=1 -DHIPBLAS_V2 -DCUDA_HAS_FP16=1 -mcmodel=large -fno-unique-section-names -ffunction-sections -fdata-sections
-fvisibility=hidden -fvisibility-inlines-hidden -O3 -std=c++20 -DTORCH_API_INCLUDE_EXTENSION_H'''.split()


def evaluated(value, names):
    """VALUE of the configuration: a Python expression in a string, or a list of them"""
    if isinstance(value, list):
        return [evaluated(v, names) for v in value]
    return eval(value, dict(names, os=os)) if value else ''


def configured(aiter, ck, name):
    names = {'AITER_CSRC_DIR': aiter + '/csrc', 'AITER_ROOT_DIR': aiter, 'AITER_META_DIR': aiter, 'AITER_GRADLIB_DIR': aiter + '/gradlib',
             'CK_DIR': ck, 'get_gfx': lambda: ARCH,
             'get_asm_dir': lambda: '%s/hsa/%s' % (aiter, ARCH)}
    row = json.load(open(aiter + '/aiter/jit/optCompilerConfig.json'))[name]
    found = {k: evaluated(row.get(k) or [], names) for k in ('srcs', 'flags_extra_hip', 'extra_include')}
    commands = row.get('blob_gen_cmd') or []
    found['generators'] = [c for c in evaluated(commands if isinstance(commands, list) else [commands], names) if c]
    return found


def copied(paths, to, deep=False):
    """PATHS, files and directories of them, in the directory TO; sources are called .cu"""
    os.makedirs(to, exist_ok=True)
    sources = []
    for path in paths:
        inside = sorted(os.path.join(path, n) for n in os.listdir(path)) if os.path.isdir(path) else [path]
        for file in inside:
            if os.path.isdir(file):
                sources += copied([file], to, deep) if deep else []
                continue
            if not os.path.exists(file):
                continue
            name = os.path.basename(file)
            is_source = name.endswith(('.cpp', '.cu'))
            name = name.replace('.cpp', '.cu') if is_source else name
            shutil.copy(file, to + '/' + name)
            sources += [to + '/' + name] if is_source else []
    return sources


def prepare(work, aiter, ck, modules):
    sys.path.insert(0, aiter + '/aiter/jit/utils')
    from hipify import hipify_python
    # generators import aiter.jit.utils.chip_info, and aiter/__init__.py all of its kernels
    os.makedirs(work + '/py/aiter', exist_ok=True)
    open(work + '/py/aiter/__init__.py', 'w').close()
    if not os.path.exists(work + '/py/aiter/jit'):
        os.symlink(aiter + '/aiter/jit', work + '/py/aiter/jit')
    # an empty name would be the current directory: ckjit's own, which has a packaging/
    paths = [work + '/py', aiter + '/aiter/jit/utils'] + os.environ.get('PYTHONPATH', '').split(':')
    os.environ.update(GPU_ARCHS=ARCH, PYTHONPATH=':'.join(p for p in paths if p))
    for module in modules:
        row, top = configured(aiter, ck, module), '%s/%s' % (work, module)
        if os.path.exists(top + '/module.json'):
            continue  # of an earlier run, with the real compiler's seconds
        shutil.rmtree(top, ignore_errors=True)
        own = copied([s for s in row['srcs'] if not os.path.isdir(s)], top + '/srcs')
        for command in row['generators']:
            os.makedirs(top + '/blob', exist_ok=True)
            subprocess.run('%s %s >>%s/log 2>&1' % (sys.executable, command.format(top + '/blob'), top), shell=True, check=True)
        made = copied([s for s in row['srcs'] if os.path.isdir(s)], top + '/srcs')
        made += copied([top + '/blob'], top + '/srcs', True) if os.path.isdir(top + '/blob') else []
        copied([aiter + '/csrc/include'] + row['extra_include'], top + '/include')
        copied([aiter + '/csrc/include/torch'] + row['extra_include'], top + '/include/torch')
        result = hipify_python.hipify(project_directory=top, output_directory=top, header_include_dirs=[top + '/include', ck + '/include'],
                                      extra_files=own + made, ignores=[work + '/torch/*', ck + '/*'], show_detailed=False,
                                      show_progress=False, is_pytorch_extension=True, includes=[top + '/*'])
        named = {p: (r.hipified_path or p) for p, r in result.items()}
        json.dump({'own': [named.get(s, s) for s in own], 'generated': [named.get(s, s) for s in made],
                   'flags': row['flags_extra_hip'],
                   'include': ['%s/include' % ck, '%s/library/include' % ck, top + '/include', top + '/srcs']}, open(top + '/module.json', 'w'))
        print('%s: %d units, %d of them generated' % (module, len(own) + len(made), len(made)), flush=True)


def headers(work):
    """PyTorch's wheel for CUDA has the headers before its build for ROCm rewrites some: they are rewritten here, as tools/amd_build does."""
    import torch
    sys.path.insert(0, os.path.dirname(torch.__file__) + '/utils')
    from hipify import hipify_python
    include, root = work + '/torch/include', work + '/hipify'
    shutil.copytree(os.path.dirname(torch.__file__) + '/include', include, dirs_exist_ok=True)
    for top, part in (('aten/src/', 'ATen/cuda'), ('', 'c10/cuda')):
        shutil.copytree('%s/%s' % (include, part), '%s/%s%s' % (root, top, part), dirs_exist_ok=True)
    hipify_python.hipify(project_directory=root, output_directory=root, includes=[root + '/c10/cuda/*', root + '/aten/src/ATen/cuda/*'],
                         is_pytorch_extension=False, show_detailed=False, show_progress=False)
    for top, part in (('aten/src/', 'ATen/hip'), ('', 'c10/hip')):
        shutil.copytree('%s/%s%s' % (root, top, part), '%s/%s' % (include, part), dirs_exist_ok=True)
    shutil.copytree(sysconfig.get_paths()['include'], work + '/python', dirs_exist_ok=True)


# ---- what is measured ----

def records(home):
    try:
        return [json.loads(line) for line in open(home + '/work/manifest.json.ndjson')]
    except OSError:
        return []


def recorded(home, made):
    """the last record whose object is MADE"""
    return [r for r in records(home) if r.get('output') == made or os.path.basename(r.get('output') or '') == os.path.basename(made)][-1:]


def stock(top, source, words, name):
    made, log = '%s/stock/%s.o' % (top, name), '%s/stock/%s.seconds' % (top, name)
    os.makedirs(top + '/stock', exist_ok=True)
    if not os.path.exists(log):
        seconds = run('hipcc', *words, '-c', source, '-o', made)
        open(log, 'w').write('%.2f' % seconds)
    return made, float(open(log).read())


def stock_kernels(made, code):
    """the kernels in the code object of the object MADE, in the file CODE; none, if it has none"""
    try:
        whole(made, code)
    except SystemExit:
        return []
    return kernels_of(code)


def listed(record):
    """the kernels that the unit's text names (core/files/unittext.c): of its frames the first"""
    head, rest = open(record['device_text'], 'rb').read().split(b'\n\n', 1)
    stored = int(head.split(b'\nkernels ', 1)[1].split()[1])
    said = subprocess.run(['zstd', '-dc'], input=rest[:stored], stdout=subprocess.PIPE, check=True).stdout
    return set(said.decode().split())


def blob(top, home, source, words):
    """the seconds of a blob's first call"""
    flags = ' '.join("'%s'" % w for w in words if not w.startswith('--offload-arch='))
    return run(os.environ['B'] + '/bin/ckjit-compile', '--blob-source', source, '--blob-flags', flags, '--arch', ARCH, '--kind', 'hip',
               '--hipcc', 'hipcc', '--output', top + '/blob.so')


def from_the_middle(names, n):
    """N of NAMES, evenly; the first of a generator's is often a list of the others"""
    return [names[(2 * i + 1) * len(names) // (2 * n)] for i in range(n)] if n < len(names) else names


def measure_unit(top, home, kernels, source, words):
    name = os.path.splitext(os.path.basename(source))[0]
    made, seconds = stock(top, source, words, name)
    lazy, code = '%s/%s.lazy.o' % (top, name), '%s/%s.co' % (top, name)
    host = run(home + '/bin/hipcc', *words, '-c', source, '-o', lazy)
    record = recorded(home, lazy)
    kind = record[0]['kind'] if record else 'host'
    unit = {'name': name, 'stock': seconds, 'lazy': host, 'kind': kind, 'bytes': (os.path.getsize(made), os.path.getsize(lazy)), 'first': [],
            'why': (record[0].get('not_lazy') or record[0].get('rule') or '') if record else ''}
    if kind == 'unit':
        names = stock_kernels(made, code)
        unit['kernels'], unit['listed'] = len(names), listed(record[0]) == set(names)
        for n in sample(names, kernels):
            unit['first'].append((n,) + one_kernel(top, record[0], n, code))
    elif kind == 'blob':
        unit['first'].append(('', blob(top, home, source, words), 0, ''))
    return unit


def tell(unit, of):
    """one line of the table; OF: how many such units the module has"""
    first = [f[1] for f in unit['first']]
    mean = sum(first) / len(first) if first else 0
    same = sum(f[3] == '0' or f[3].isdigit() for f in unit['first'])
    known = {True: 'all', False: 'NOT ALL'}.get(unit.get('listed'), '')
    print('%s\t%d\t%s\t%s\t%.1f\t%.1f\t%.3f\t%s\t%s\t%s\t%s' %
          (unit['name'], of, unit['kind'], unit.get('kernels', ''), unit['stock'], unit['lazy'], unit['lazy'] / unit['stock'],
           '%.1f\t%.3f' % (mean, mean / unit['stock']) if first else '\t', known,
           '%d of %d' % (same, len(first)) if unit['kind'] == 'unit' and first else '', '%d/%d' % unit['bytes']), flush=True)
    for f in unit['first']:
        if unit['kind'] == 'unit' and not f[3].isdigit():
            print('# %s: %s' % (f[0], f[3][-200:]))


def is_taken(flag):
    """as core.py, hip_flag_checker(): aiter leaves out what the compiler does not know"""
    return not subprocess.run(['hipcc', *flag.split(), '-x', 'hip', '-c', '/dev/null', '-o', '/dev/null'], stderr=subprocess.DEVNULL).returncode


def measure(work, home, kernels, generated, modules):
    failed = []
    for module in modules:
        top = '%s/%s' % (work, module)
        said = json.load(open(top + '/module.json'))
        words = WORDS + [w for f in said['flags'] if is_taken(f) for w in f.split()] + ['--offload-arch=' + ARCH] + ['-I' + d for d in said['include']]
        words += [w for d in (work + '/torch/include', work + '/torch/include/torch/csrc/api/include') for w in ('-isystem', d)]
        words += ['-isystem', work + '/rocm/usr/include', '-DTORCH_EXTENSION_NAME=' + module, '-isystem', work + '/python']
        # a Python module's interface is host code alone, which the real compiler gets
        own, made = [s for s in said['own'] if '_pybind' not in s], from_the_middle(said['generated'], generated)
        print('# %s\nunit\tof\tkind\tkernels\tstock s\tckjit s\tratio\tone kernel, s\tratio\tlisted\tequal\tbytes' % module, flush=True)
        total = [0, 0]
        for source in own + made:
            of = 1 if source in own else len(said['generated']) / len(made)
            try:
                unit = measure_unit(top, home, kernels, source, words)
            except SystemExit as e:
                failed.append('%s: %s' % (source, str(e)[-1500:]))
                continue
            tell(unit, of)
            total = [total[0] + of * unit['stock'], total[1] + of * unit['lazy']]
        print('# %s without its interface: %.0f s, %.0f s with ckjit' % (module, *total), flush=True)
    if failed:
        sys.exit('\n'.join(failed))


if sys.argv[1] == 'headers':
    headers(sys.argv[2])
elif sys.argv[1] == 'prepare':
    prepare(*sys.argv[2:5], sys.argv[5:])
else:
    measure(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), sys.argv[6:])
