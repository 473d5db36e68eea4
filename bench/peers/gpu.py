"""The suite's GPU work in PyTorch, JAX, CuPy and NumPy: microseconds an iteration, as JSON."""
import argparse
import datetime
import json
import os
import statistics
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import numpy as np

N = 230_400
ROWS, COLUMNS = 400, 784
RATE, DECAY = 0.01, 0.02

random = np.random.RandomState(22)
VALUES = random.rand(N).astype("float32")
X = random.randn(ROWS, COLUMNS).astype("float32")
Y = random.randint(0, 2, ROWS).astype("float32")
W = random.randn(COLUMNS).astype("float32")
M = random.rand(1000, 1000).astype("float32")
V = random.rand(1000, 1000).astype("float32")
C = random.rand(1000, 1000).astype("float32")


DRAWN = np.random.RandomState(1)
STEPS = DRAWN.uniform(-0.1, 0.1, (100, 64, 128)).astype("float32")
WEIGHTS = DRAWN.uniform(-0.1, 0.1, (2, 128, 128)).astype("float32")


def numpy_cases():
    state = {"w": W.copy(), "b": np.float32(0)}

    def step():
        p = 1 / (1 + np.exp(-(X @ state["w"]) - state["b"]))
        d = (p - Y) / np.float32(ROWS)
        state["w"] -= np.float32(RATE) * (X.T @ d + np.float32(DECAY) * state["w"])
        state["b"] -= np.float32(RATE) * d.sum()

    yield "exp f32 on the CPU", 200, lambda: np.exp(VALUES), lambda: None
    yield "logistic step f32 on the CPU", 200, step, lambda: None
    yield "y = m x + b on the CPU", 5, lambda: M @ V + C, lambda: None


def torch_step(torch, x, y, w, b):
    p = torch.sigmoid(x @ w + b)
    d = (p - y) / ROWS
    w -= RATE * (x.t() @ d + DECAY * w)
    b -= RATE * d.sum()


def torch_graph(torch, work):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    graph.work = work  # whose operands the graph only has the addresses of
    return graph.replay


def torch_autograd(torch, x, y):
    w = torch.from_numpy(W).cuda().requires_grad_()
    b = torch.zeros((), device="cuda", requires_grad=True)
    loss_of = torch.nn.functional.binary_cross_entropy_with_logits

    def step():
        loss = loss_of(x @ w + b, y) + DECAY / 2 * (w * w).sum()
        gw, gb = torch.autograd.grad(loss, (w, b))
        with torch.no_grad():
            w.sub_(gw, alpha=RATE)
            b.sub_(gb, alpha=RATE)

    return step


def torch_cases():
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    wait = torch.cuda.synchronize
    v = torch.from_numpy(VALUES).cuda()
    out = torch.empty_like(v)
    x, y = torch.from_numpy(X).cuda(), torch.from_numpy(Y).cuda()
    w, b = torch.from_numpy(W).cuda(), torch.zeros((), device="cuda")
    m, c = torch.from_numpy(M).cuda(), torch.from_numpy(C).cuda()
    z = torch.from_numpy(V).cuda()
    step = lambda: torch_step(torch, x, y, w, b)
    yield "exp f32, result stays on the device, eager", 1000, lambda: torch.exp(v), wait
    yield "exp f32, result stays on the device, CUDA graph", 1000, torch_graph(
        torch, lambda: torch.exp(v, out=out)), wait
    yield "exp f32, result on the host", 100, lambda: torch.exp(v).cpu(), wait
    yield "exp f64, result stays on the device, eager", 1000, lambda d=v.double(): torch.exp(d), wait
    yield "logistic step f32, autograd", 100, torch_autograd(torch, x, y), wait
    yield "logistic step f32, by hand", 100, step, wait
    yield "logistic step f32, CUDA graph", 500, torch_graph(torch, step), wait
    yield "y = m x + b, all from and to the host", 10, lambda: (
        torch.from_numpy(M).cuda() @ torch.from_numpy(V).cuda() + torch.from_numpy(C).cuda()).cpu(), wait
    yield "y = m x + b, m and b resident", 20, lambda: (m @ torch.from_numpy(V).cuda() + c).cpu(), wait
    yield "y = m x + b, all resident", 100, lambda: torch.addmm(c, m, z), wait
    yield from torch_loops(torch, wait)


def torch_loops(torch, wait):
    a = torch.full((1000,), 1.0001, dtype=torch.float64, device="cuda")
    out = torch.empty_like(a)

    def power():
        out.fill_(1)
        for _ in range(1000):
            out.mul_(a)

    x = torch.from_numpy(STEPS).cuda()
    w, u = (torch.from_numpy(m).cuda().requires_grad_() for m in WEIGHTS)

    def last():
        h = torch.zeros(64, 128, device="cuda")
        for row in x @ w:
            h = torch.tanh(row + h @ u)
        return h

    yield "A**k, 1000 elements f64, 1000 steps", 2, power, wait
    yield "A**k, 1000 elements f64, 1000 steps, CUDA graph", 10, torch_graph(torch, power), wait
    yield "RNN 100x64x128 f32, forward", 2, lambda: last().detach(), wait
    yield "RNN 100x64x128 f32, forward and gradient", 2, lambda: torch.autograd.grad(
        (last() ** 2).sum(), (w, u)), wait


# Images, channels, sides, filters and their sides: those of bench/cuda_limits/convolution_cases.cpp.
SHAPES = [
    (20, 6, 10, 8, 5), (20, 1, 24, 6, 5), (16, 8, 20, 8, 3), (32, 8, 24, 16, 3), (16, 16, 28, 16, 3), (64, 16, 28, 32, 3),
    (32, 128, 28, 128, 1), (60, 6, 50, 16, 7), (60, 1, 256, 6, 7), (32, 256, 14, 256, 3), (8, 3, 224, 64, 7), (64, 64, 56, 64, 3),
]


def torch_convolutions():
    """By CUDA graphs, with cuDNN's algorithms tried out first: by default any of them, then those that give the same bits."""
    import torch

    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    wait = torch.cuda.synchronize
    conv2d, by_images, by_filters = torch.nn.functional.conv2d, torch.nn.grad.conv2d_input, torch.nn.grad.conv2d_weight
    for n, c, side, o, k in SHAPES:
        out = side - k + 1
        x = torch.rand(n, c, side, side, device="cuda")
        w = torch.rand(o, c, k, k, device="cuda")
        y = torch.rand(n, o, out, out, device="cuda")
        text = f"{n}x{c}x{side}x{side}, {o} filters of {k}x{k}"
        repeats = 30 if n * o * out * out * c * k * k > 3e8 else 300
        for name, work in (
            ("conv2d f32 ", lambda x=x, w=w: conv2d(x, w)),
            ("conv2d by images f32 ", lambda x=x, w=w, y=y: by_images(x.shape, w, y)),
            ("conv2d by filters f32 ", lambda x=x, w=w, y=y: by_filters(x, w.shape, y)),
        ):
            for deterministic in (False, True):
                torch.backends.cudnn.deterministic = deterministic
                label = name + text + ", deterministic" * deterministic
                try:
                    replay = torch_graph(torch, work)
                except RuntimeError as reason:
                    print(f"{label} is left out: {str(reason).splitlines()[0]}")
                    continue
                yield label, repeats, replay, wait


def jax_cases():
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_default_matmul_precision", "highest")

    def step(w, b, x, y):
        p = jax.nn.sigmoid(x @ w + b)
        d = (p - y) / ROWS
        return w - RATE * (x.T @ d + DECAY * w), b - RATE * d.sum()

    x, y, v = jnp.asarray(X), jnp.asarray(Y), jnp.asarray(VALUES)
    m, z, c = jnp.asarray(M), jnp.asarray(V), jnp.asarray(C)
    exp, one = jax.jit(jnp.exp), jax.jit(step)
    line = jax.jit(lambda m, z, c: m @ z + c)
    loop = jax.jit(lambda w, b: jax.lax.fori_loop(0, 1000, lambda i, s: step(*s, x, y), (w, b)))
    state = {"s": (jnp.asarray(W), jnp.float32(0)), "last": None}

    def keep(value):
        state["last"] = value

    def call():
        state["s"] = one(*state["s"], x, y)

    def wait():
        jax.block_until_ready((state["s"], state["last"]))

    yield "exp f32, result stays on the device", 500, lambda: keep(exp(v)), wait
    yield "exp f32, result on the host", 100, lambda: np.asarray(exp(v)), wait
    yield "logistic step f32, one call a step", 200, call, wait
    yield "logistic step f32, 1000 steps in one loop (a step)", (5, 1000), lambda: keep(
        loop(*state["s"])), wait
    yield "y = m x + b, all from and to the host", 10, lambda: np.asarray(line(M, V, C)), wait
    yield "y = m x + b, all resident", 100, lambda: keep(line(m, z, c)), wait
    for name, repeats, work in jax_loops(jax, jnp):
        yield name, repeats, lambda work=work: keep(work()), wait


def jax_loops(jax, jnp):
    with jax.enable_x64(True):
        a = jnp.full(1000, 1.0001, dtype="float64")
        power = jax.jit(lambda a: jax.lax.fori_loop(0, 1000, lambda i, y: y * a, jnp.ones_like(a)))
        power = power.lower(a).compile()
        c = jnp.ones(10_000, dtype="float64")

        def term(y, both):
            return y + both[0] * jnp.float64(0.999) ** both[1], None

        series = jax.jit(lambda c: jax.lax.scan(term, jnp.float64(0), (c, jnp.arange(10_000)))[0])
        series = series.lower(c).compile()

    def last(w, u, x):
        step = lambda h, row: (jnp.tanh(row + h @ u), None)
        return jax.lax.scan(step, jnp.zeros((64, 128), "float32"), x @ w)[0]

    x, (w, u) = jnp.asarray(STEPS), map(jnp.asarray, WEIGHTS)
    forward = jax.jit(last)
    slopes = jax.jit(jax.grad(lambda w, u, x: (last(w, u, x) ** 2).sum(), argnums=(0, 1)))
    yield "A**k, 1000 elements f64, 1000 steps", 2, lambda: power(a)
    yield "polynomial of 10000 coefficients f64", 1, lambda: series(c)
    yield "RNN 100x64x128 f32, forward", 5, lambda: forward(w, u, x)
    yield "RNN 100x64x128 f32, forward and gradient", 5, lambda: slopes(w, u, x)


def cupy_cases():
    import cupy

    v = cupy.asarray(VALUES)
    wait = cupy.cuda.Device().synchronize
    yield "exp f32, result stays on the device", 500, lambda: cupy.exp(v), wait
    yield "exp f32, result on the host", 100, lambda: cupy.asnumpy(cupy.exp(v)), wait


def timed(repeats, work, wait):
    calls, steps = repeats if isinstance(repeats, tuple) else (repeats, 1)
    begin = time.perf_counter()
    for _ in range(calls):
        work()
    wait()
    return (time.perf_counter() - begin) * 1e6 / (calls * steps)


LIBRARIES = [("numpy", numpy_cases), ("torch", torch_cases), ("jax", jax_cases), ("cupy", cupy_cases)]


def collect(libraries):
    cases, versions = [], {}
    for name, make in libraries:
        try:
            cases += [(name, *case) for case in make()]
            versions[name] = __import__(name).__version__
        except Exception as reason:  # a library that is missing or broken is told and left out
            print(f"{name} is left out: {reason}")
    return cases, versions


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", help="write the figures to this file")
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--convolutions", action="store_true", help="only PyTorch's, of many shapes")
    options = arguments.parse_args()
    cases, versions = collect([("torch", torch_convolutions)] if options.convolutions else LIBRARIES)
    times = [[] for _ in cases]
    for _, _, repeats, work, wait in cases:
        timed(repeats, work, wait)
    for _ in range(options.rounds):
        for i, (_, _, repeats, work, wait) in enumerate(cases):
            times[i].append(timed(repeats, work, wait))
    rows = []
    for (library, name, *_), values in zip(cases, times):
        rows.append({"library": library, "name": name, "microseconds": statistics.median(values), "least": min(values)})
        print(f"{rows[-1]['microseconds']:10.2f} us  {library:6} {name}")
    if options.json:
        suite = "gpu peers, convolutions" if options.convolutions else "gpu peers"
        head = {"suite": suite, "date": datetime.datetime.now(datetime.timezone.utc).isoformat()}
        with open(options.json + ".part", "w") as file:
            json.dump({**head, "versions": versions, "rows": rows}, file, indent=1)
        os.replace(options.json + ".part", options.json)


if __name__ == "__main__":
    main()
