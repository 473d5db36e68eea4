// Every flag, one row each: name, default, kind, choices, what it does, why it does nothing here,
// and whether the engine's first use of it is final.

#include <array>

#include "engine/core/flags.h"

namespace hypatia {

namespace {

using enum FlagKind;

constexpr std::string_view on_finding = "ignore, warn, raise, pdb";
constexpr std::string_view no_compiler_lock =
    "compiled kernels are cached by content and written by rename: there is no lock to wait for";
constexpr std::string_view no_python_modules =
    "it steers the cache of Python extension modules, and Hypatia builds none";
constexpr std::string_view old_profiler =
    "ProfileMode is gone: set profile=True and the flags of profiling";
constexpr std::string_view scan_buffers =
    "the plan of a scan's steps decides which buffers live on";
constexpr std::string_view planned_memory =
    "graphs are pure, and the plan decides where results lie";
constexpr std::string_view numpy_only = "it steers NumPy's own arithmetic, which is not used here";

// clang-format off
constexpr Flag flag_table[] = {
    // Numbers and types.
    {"floatX", "float64", choice, "float64, float32",
     "The dtype of variables and numbers that name none."},
    {"warn_float64", "ignore", choice, on_finding,
     "What to do when a float64 variable is made: the way to find what keeps work off a GPU."},
    {"cast_policy", "custom", choice, "custom, numpy+floatX",
     "How numbers of the program take part in promotion: custom gives them the smallest dtype.",
     "numbers of the program always take the smallest dtype that holds them"},
    {"int_division", "floatX", choice, "int, raise, floatX",
     "What x / y means for two integers: floor division, an error, or floatX."},
    {"tensor.cmp_sloppy", "0", integer, "",
     "Loosens comparisons of values: 0 not, 1 by ten, 2 by a thousand.",
     "comparisons take their tolerances as arguments: all_close(a, b, rtol, atol)"},
    {"deterministic", "default", choice, "default, more",
     "more: choose only kernels that give the same bits in every run."},

    // Devices.
    {"device", "cpu", device, "", "Where functions run.", "", true},
    {"force_device", "False", boolean, "",
     "Fail if the device can't be had, where otherwise the CPU is used and one line says why.", "",
     true},
    {"init_gpu_device", "", device, "",
     "Opens this GPU for kernels of the user's own, while functions run where device says.", "",
     true},
    {"contexts", "", contexts, "",
     "Names for several devices: dev0->cuda0;dev1->cuda1."},
    {"print_active_device", "True", boolean, "", "Says at the start which device is used."},
    {"tf32", "False", boolean, "",
     "Lets matrix products and convolutions of float32 use the 10-bit mantissas of tensor cores."},
    {"gpuarray.preallocate", "0", real, "",
     "Device memory taken at the start: 0 none, up to 1 a share of the device's, above 1 MB; "
     "negative: no pool at all. A simulated GPU has no more than that.",
     "", true},
    {"gpuarray.sched", "default", choice, "default, single, multi",
     "How the host waits for a GPU.", "waiting is chosen by how long the work is expected to run"},
    {"gpuarray.single_stream", "True", boolean, "", "One stream for kernels and copies.",
     "kernels and copies always share one stream"},
    {"gpuarray.cache_path", "", text, "", "Where compiled GPU kernels are kept.",
     "GPU kernels are kept below base_compiledir with the others"},
    {"lib.cnmem", "0", real, "", "Device memory for the CNMeM allocator.",
     "that allocator is gone: use gpuarray.preallocate"},
    {"nvcc.flags", "", text, "", "Options for the compiler of GPU kernels (NVRTC)."},
    {"nvcc.fastmath", "False", boolean, "",
     "Compiles GPU kernels with --use_fast_math: less exact, and NaN may appear."},
    {"nvcc.compiler_bindir", "", text, "", "The host compiler of nvcc.",
     "GPU kernels are compiled by NVRTC, which needs no host compiler"},
    {"nvcc.cudafe", "heuristic", choice, "heuristic, always, never", "When to run cudafe.",
     "GPU kernels are compiled by NVRTC, which has no such step"},
    {"cuda.root", "", text, "", "The folder of the CUDA toolkit, where it isn't found by itself.",
     "", true},
    {"dnn.enabled", "auto", choice, "auto, True, False",
     "Convolutions by cuDNN on a GPU. auto: those that it is likely to run faster, if it is there "
     "and takes them; True: all of elements of one dtype, or an error; False: none. The others "
     "are kernels made here."},
    {"dnn.conv.algo_fwd", "guess_on_shape_change", choice,
     "small, none, large, fft, fft_tiling, winograd, winograd_non_fused, guess_once, "
     "guess_on_shape_change, time_once, time_on_shape_change",
     "cuDNN's algorithm for convolutions. One that is named is taken where cuDNN offers it for the "
     "sizes and it gives the same bits each time; else, and for guess and time, its own guess."},
    {"dnn.conv.algo_bwd_filter", "guess_on_shape_change", choice,
     "none, deterministic, fft, small, winograd_non_fused, fft_tiling, guess_once, "
     "guess_on_shape_change, time_once, time_on_shape_change",
     "The same for a convolution's gradient with respect to its filters."},
    {"dnn.conv.algo_bwd_data", "guess_on_shape_change", choice,
     "none, deterministic, fft, fft_tiling, winograd, winograd_non_fused, guess_once, "
     "guess_on_shape_change, time_once, time_on_shape_change",
     "The same for a convolution's gradient with respect to its images."},
    {"dnn.conv.precision", "as_input_f32", choice,
     "as_input_f32, as_input, float16, float32, float64",
     "In which precision convolutions accumulate.",
     "float32 accumulates in float32 and float64 in float64"},
    {"sim.host_time", "measured", choice, "measured, modelled",
     "On a simulated device, whether the host's own time is measured, or modelled so that "
     "recordings repeat to the bit."},
    {"sim.checked", "False", boolean, "",
     "Runs kernels of a simulated device under its sanitizer: races, bounds, uninitialised reads."},
    {"sim.order", "ascending", choice, "ascending, descending, random",
     "The order in which sim.checked runs the threads of a block; right kernels don't notice."},
    {"sim.checked_launches", "0", integer, "",
     "How many launches of each kernel sim.checked looks at, where counts are enough; 0: all."},

    // Modes and rewrites.
    {"mode", "Mode", choice,
     "Mode, FAST_RUN, FAST_COMPILE, DebugMode, DEBUG_MODE, NanGuardMode, ProfileMode, PROFILE_MODE",
     "How functions are compiled: by optimizer and linker, with all rewrites, with few and no "
     "compiler, checked node by node, or watched for NaN. ProfileMode means Mode: set profile."},
    {"optimizer", "o4", choice,
     "o4, o3, o2, o1, fast_run, fast_compile, unsafe, stabilize, merge, None",
     "How much graphs are rewritten. None: not at all; merge: equal work once; stabilize: up to "
     "the stabilising rules; o1 (fast_compile): constants, canonical and stable forms; o2: also "
     "cheaper spellings and fusion; o3 (unsafe): also gemms; o4 (fast_run): also work in place."},
    {"optimizer_excluding", "", text, "", "Rewrites or their tags to leave out, joined by ':'."},
    {"optimizer_including", "", text, "", "Rewrites or their tags to add, joined by ':'."},
    {"optimizer_requiring", "", text, "", "Only rewrites with all of these tags, joined by ':'."},
    {"optimizer_verbose", "False", boolean, "", "Reports each rewrite that is applied."},
    {"on_opt_error", "warn", choice, "warn, raise, pdb, ignore",
     "What to do when a rewrite fails."},
    {"on_shape_error", "warn", choice, "warn, raise",
     "What to do when the shape of a node can't be worked out.",
     "the type rule of each op works sizes out, and its errors are errors"},
    {"optdb.max_use_ratio", "8.0", real, "",
     "How often the rewrites of one pass may apply, as a multiple of the graph's nodes."},
    {"cycle_detection", "regular", choice, "regular, fast", "How inplace rewrites look for cycles.",
     "graphs are pure: memory is reused by the plan, which can't make cycles"},
    {"assert_no_cpu_op", "ignore", choice, on_finding,
     "What to do with a node that stays on the CPU between nodes on the GPU."},
    {"linker", "cvm", choice, "cvm, cvm_nogc, vm, vm_nogc, c, c|py, c|py_nogc, py",
     "How functions run: compiled code, or py and vm for the interpreter; _nogc is "
     "allow_gc=False."},
    {"allow_gc", "True", boolean, "",
     "Frees intermediate values once they are used; False keeps their buffers between calls."},
    {"on_unused_input", "raise", choice, "raise, warn, ignore",
     "What to do with an input that no output needs."},
    {"scan.allow_gc", "False", boolean, "", "allow_gc for the steps of a scan.",
     scan_buffers},
    {"scan.allow_output_prealloc", "True", boolean, "",
     "Lets the steps of a scan write straight into its result.",
     scan_buffers},

    // Finding mistakes.
    {"compute_test_value", "off", choice, "off, ignore, warn, raise, pdb",
     "Evaluates every node when it is made, on the test values of its inputs."},
    {"exception_verbosity", "low", choice, "low, high",
     "high adds the graph and the values in memory to errors of a call."},
    {"traceback.limit", "8", integer, "", "How many places of the program a node remembers.",
     "a node remembers the one line that made it, and its scopes"},
    {"traceback.compile_limit", "0", integer, "", "The same for nodes that rewrites make.",
     "a rewritten node keeps the line of the node that it came from"},
    {"DebugMode.patience", "10", integer, "",
     "How often each rewrite is tried, to find unstable orders.",
     "rewrites run in one fixed order, so that once is enough"},
    {"DebugMode.check_c", "True", boolean, "", "Runs compiled code of each node.",
     "DebugMode always compares how a node runs with its reference"},
    {"DebugMode.check_py", "True", boolean, "", "Runs the interpreter's form of each node.",
     "DebugMode always compares how a node runs with its reference"},
    {"DebugMode.check_finite", "True", boolean, "", "Refuses results that are NaN or infinite."},
    {"DebugMode.check_strides", "0", integer, "", "Tries inputs with unusual strides.",
     "kernels are made for the strides that they get"},
    {"DebugMode.check_preallocated_output", "", text, "",
     "Kinds of output memory to try, joined by ':'.",
     planned_memory},
    {"DebugMode.warn_input_not_reused", "True", boolean, "",
     "Reports nodes that could work in place and did not.",
     planned_memory},
    {"NanGuardMode.nan_is_error", "True", boolean, "", "NanGuardMode stops at NaN."},
    {"NanGuardMode.inf_is_error", "True", boolean, "", "NanGuardMode stops at infinity."},
    {"NanGuardMode.big_is_error", "True", boolean, "",
     "NanGuardMode stops at numbers beyond 1e10."},
    {"NanGuardMode.action", "raise", choice, "raise, warn, pdb", "What NanGuardMode does then."},
    {"warn.ignore_bug_before", "0.9", text, "", "Silences warnings of bugs of old versions.",
     "there are no such warnings"},
    {"numpy.seterr_all", "ignore", choice, "ignore, warn, raise, call, print, log, None",
     "What NumPy does about floating point errors.", numpy_only},
    {"numpy.seterr_divide", "None", choice, "None, ignore, warn, raise, call, print, log",
     "The same for divisions by zero.", numpy_only},
    {"numpy.seterr_over", "None", choice, "None, ignore, warn, raise, call, print, log",
     "The same for overflows.", numpy_only},
    {"numpy.seterr_under", "None", choice, "None, ignore, warn, raise, call, print, log",
     "The same for underflows.", numpy_only},
    {"numpy.seterr_invalid", "None", choice, "None, ignore, warn, raise, call, print, log",
     "The same for invalid operations.", numpy_only},

    // Profiles.
    {"profile", "False", boolean, "", "Profiles every function; the report comes at exit."},
    {"profile_memory", "False", boolean, "", "Adds memory to profiles."},
    {"profile_optimizer", "False", boolean, "", "Adds the time of rewrites to profiles.",
     "the time of every rewrite pass is in every recording"},
    {"profile.split", "False", boolean, "",
     "Runs the nodes of a kernel one by one, so that each is measured by itself."},
    {"profiling.time_thunks", "True", boolean, "", "Times each node.",
     "a profile that does not time its nodes would be empty"},
    {"profiling.n_apply", "20", integer, "", "How many nodes a report lists."},
    {"profiling.n_ops", "20", integer, "", "How many ops a report lists."},
    {"profiling.output_line_width", "512", integer, "", "The longest line of a report."},
    {"profiling.min_memory_size", "1024", integer, "",
     "The smallest buffer that a report lists, in bytes."},
    {"profiling.min_peak_memory", "False", boolean, "", "Adds the least peak memory of any order.",
     "only the order that runs is measured"},
    {"profiling.destination", "stderr", text, "",
     "Where reports go: stderr, stdout, or a file; a name that ends in .hyp gets the recording."},
    {"profiling.debugprint", "False", boolean, "", "Adds the graph to reports.",
     "every recording holds the graph: `hypatia gui` draws it"},
    {"profiling.ignore_first_call", "False", boolean, "",
     "Leaves each function's first call out of recordings."},
    {"ProfileMode.n_apply_to_print", "15", integer, "", "How many nodes ProfileMode lists.",
     old_profiler},
    {"ProfileMode.n_ops_to_print", "20", integer, "", "How many ops ProfileMode lists.",
     old_profiler},
    {"ProfileMode.min_memory_size", "1024", integer, "",
     "The smallest buffer that ProfileMode lists.",
     old_profiler},
    {"ProfileMode.profile_memory", "False", boolean, "", "Adds memory to ProfileMode.",
     old_profiler},

    // Compilers, libraries and threads.
    {"threads", "0", integer, "0 or more", "Threads of the pool that computes; 0: one a core.", "",
     true},
    {"openmp", "False", boolean, "", "Uses several threads by OpenMP.",
     "the engine's own pool uses all cores: see threads"},
    {"openmp_elemwise_minsize", "200000", integer, "",
     "From how many elements on elementwise work is spread over threads by OpenMP.",
     "the plan chooses by cost"},
    {"cxx", "", text, "", "The C compiler of generated code; empty: the system's."},
    {"gcc.cxxflags", "", text, "", "More options for that compiler."},
    {"blas.ldflags", "", text, "", "Linker options for a BLAS.",
     "a BLAS is loaded at run time: see blas.library"},
    {"blas.library", "", text, "",
     "The BLAS to load, a name or a path; empty: the best that is found.",
     "", true},
    {"base_compiledir", "~/.hypatia", text, "", "The folder of compiled kernels.", "", true},
    {"compiledir", "", text, "",
     "The folder of this machine's kernels; empty: one in base_compiledir.",
     "", true},
    {"compiledir_format", "", text, "", "The name of the folder in base_compiledir.",
     "kernels are named by their content, the compiler and the machine"},
    {"compile.background", "True", boolean, "",
     "Answers calls by the interpreter while the compiler still runs; False: the first call waits, "
     "so that every call runs the same code. Profiled functions and deterministic=more wait too."},
    {"compile.wait", "5", integer, "", "Seconds between looks at the lock.", no_compiler_lock},
    {"compile.timeout", "0", integer, "", "Seconds after which a lock is broken.",
     no_compiler_lock},
    {"cmodule.mac_framework_link", "False", boolean, "", "Links a framework on macOS.",
     no_python_modules},
    {"cmodule.warn_no_version", "False", boolean, "", "Warns of ops without a version.",
     no_python_modules},
    {"cmodule.remove_gxx_opt", "False", boolean, "", "Removes -O options.", no_python_modules},
    {"cmodule.compilation_warning", "False", boolean, "", "Shows warnings of the compiler.",
     no_python_modules},
    {"cmodule.preload_cache", "False", boolean, "", "Loads the cache at the start.",
     no_python_modules},
    {"cmodule.age_thresh_use", "2073600", integer, "", "Seconds that a module is kept.",
     no_python_modules},
    {"cmodule.debug", "False", boolean, "", "Keeps the sources.", no_python_modules},
};
// clang-format on

}  // namespace

std::span<const Flag> flags() {
  return flag_table;
}

}  // namespace hypatia
