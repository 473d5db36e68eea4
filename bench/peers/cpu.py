"""The jobs of hypatia-bench in NumPy, numexpr, PyTensor, JAX and PyTorch on the CPU.

Prints one JSON object a line: library, version, threads, core type of its BLAS, group (the name
that hypatia-bench gives the job), and microseconds a run as median and quartiles of the rounds.
Each library runs in a process of its own, with its best settings: all cores, buffers reused where
the library can, everything compiled before the clock starts.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

LIBRARIES = ["numpy", "numexpr", "pytensor", "jax", "torch"]
SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
ROWS, COLUMNS = 400, 784
EXP = 230_400


def numbers(np, count, dtype):
    return ((np.arange(count) * 7919 % 10007 + 1) / 10009.0).astype(dtype)


def logistic_data(np):
    x = numbers(np, ROWS * COLUMNS, "float32").reshape(ROWS, COLUMNS)
    y = (np.arange(ROWS) % 2).astype("float32")
    return x, y, np.zeros(COLUMNS, "float32")


def recurrent_data(np):
    """What a recurrent net of 100 steps, 64 rows and 128 states starts from."""
    def draw(*dims):
        count = int(np.prod(dims))
        return ((numbers(np, count, "float32") - 0.5) / 5).reshape(dims)

    return draw(100, 64, 128), np.zeros((64, 128), "float32"), draw(128, 128), draw(128, 128)


def formulas(square):
    return {
        "a+1": lambda a, b: a + 1,
        "2a+3b": lambda a, b: 2 * a + 3 * b,
        "a2+b2+2ab": lambda a, b: square(a) + square(b) + 2 * a * b,
        "2a+b10": lambda a, b: 2 * a + b**10,
    }


class Numpy:
    def __init__(self):
        import numpy as np

        self.np, self.version = np, np.__version__

    def threads(self):
        return 1  # its loops; its BLAS uses all

    def exp(self, x):
        out = self.np.empty_like(x)
        return lambda: self.np.exp(x, out=out)

    def formula(self, name, a, b):
        f = formulas(self.np.square)[name]
        return lambda: f(a, b)

    def logistic(self, x, y, w):
        np = self.np
        state = {"w": w, "b": np.float32(0)}
        rate, decay, share = np.float32(0.1), np.float32(0.02), np.float32(1 / ROWS)

        def step():
            z = x @ state["w"] + state["b"]
            p = 1 / (1 + np.exp(-z))
            xent = np.logaddexp(0, z) - y * z
            d = (p - y) * share
            state["w"] = state["w"] - rate * (x.T @ d + decay * state["w"])
            state["b"] -= rate * d.sum()
            return p > 0.5, xent

        return step


    def power(self, a, steps):
        out = self.np.empty_like(a)

        def run():
            out.fill(1)
            for _ in range(steps):
                self.np.multiply(out, a, out=out)

        return run

    def recurrent(self, x, h, w, u, gradient):
        if gradient:
            return None

        def run():
            rows, state = x @ w, h
            for row in rows:
                state = self.np.tanh(row + state @ u)
            return state

        return run


class Numexpr(Numpy):
    TEXTS = {
        "a+1": "a + 1",
        "2a+3b": "2*a + 3*b",
        "a2+b2+2ab": "a**2 + b**2 + 2*a*b",
        "2a+b10": "2*a + b**10",
    }

    def __init__(self):
        super().__init__()
        import numexpr

        self.ne, self.version = numexpr, numexpr.__version__
        numexpr.set_num_threads(len(os.sched_getaffinity(0)))

    def threads(self):
        return self.ne.nthreads

    def run(self, text, **values):
        out = self.np.empty_like(next(iter(values.values())))
        self.ne.evaluate(text, values, out=out)
        return lambda: self.ne.evaluate(text, values, out=out)

    def exp(self, x):
        return self.run("exp(x)", x=x)

    def formula(self, name, a, b):
        values = {"a": a} if name == "a+1" else {"a": a, "b": b}
        return self.run(self.TEXTS[name], **values)

    def logistic(self, x, y, w):
        return None  # it has no products

    def power(self, a, steps):
        return None

    def recurrent(self, x, h, w, u, gradient):
        return None


class Pytensor:
    def __init__(self):
        import numpy as np
        import pytensor
        import pytensor.tensor as pt

        self.np, self.pytensor, self.pt, self.version = np, pytensor, pt, pytensor.__version__

    def threads(self):
        return 1  # its loops; its BLAS uses all

    def exp(self, x):
        shared = self.pytensor.shared(x, borrow=True)
        f = self.pytensor.function([], self.pytensor.Out(self.pt.exp(shared), borrow=True))
        f.trust_input = True
        return f

    def formula(self, name, a, b):
        x, z = self.pt.vector(dtype=a.dtype.name), self.pt.vector(dtype=b.dtype.name)
        y = formulas(self.pt.sqr)[name](x, z)
        inputs = [x] if name == "a+1" else [x, z]
        f = self.pytensor.function(inputs, self.pytensor.Out(y, borrow=True))
        f.trust_input = True
        return (lambda: f(a)) if name == "a+1" else (lambda: f(a, b))

    def logistic(self, x, y, w):
        pt, shared = self.pt, self.pytensor.shared
        x, y, w, b = shared(x), shared(y), shared(w), shared(self.np.float32(0))
        p = 1 / (1 + pt.exp(-pt.dot(x, w) - b))
        xent = -y * pt.log(p) - (1 - y) * pt.log(1 - p)
        cost = xent.mean() + self.np.float32(0.01) * (w**2).sum()
        gw, gb = self.pytensor.grad(cost, [w, b])
        rate = self.np.float32(0.1)
        updates = [(w, (w - rate * gw).astype("float32")), (b, (b - rate * gb).astype("float32"))]
        return self.pytensor.function([], [p > 0.5, xent], updates=updates)

    def loop(self, *options, **named):
        if hasattr(self.pytensor.scan, "scan"):
            return self.pytensor.scan.scan(*options, **named)
        return self.pytensor.scan(*options, **named)

    def power(self, a, steps):
        pt, x = self.pt, self.pytensor.shared(a)
        out, updates = self.loop(lambda y, x: y * x, outputs_info=pt.ones_like(x),
                                 non_sequences=x, n_steps=steps)
        return self.pytensor.function([], out[-1], updates=updates)

    def polynomial(self, c, x):
        pt, c, free = self.pt, self.pytensor.shared(c), self.pytensor.shared(self.np.float64(x))
        out, updates = self.loop(lambda c, i, y, free: y + c * free**i,
                                 sequences=[c, pt.arange(len(c.get_value()))],
                                 outputs_info=pt.constant(0.0, dtype="float64"),
                                 non_sequences=free)
        return self.pytensor.function([], out[-1], updates=updates)

    def logistic_map(self, steps):
        start = self.pytensor.shared(self.np.float64(0.3))
        out, updates = self.loop(lambda x: 3.7 * x * (1 - x), outputs_info=start * 1.0,
                                 n_steps=steps)
        return self.pytensor.function([], out[-1], updates=updates)

    def recurrent(self, x, h, w, u, gradient):
        pt = self.pt
        x, h, w, u = (self.pytensor.shared(v) for v in (x, h, w, u))
        out, updates = self.loop(lambda row, h, w, u: pt.tanh(pt.dot(row, w) + pt.dot(h, u)),
                                 sequences=x, outputs_info=h, non_sequences=[w, u])
        last = out[-1]
        if gradient:
            return self.pytensor.function([], self.pytensor.grad((last**2).sum(), [w, u]),
                                          updates=updates)
        return self.pytensor.function([], last, updates=updates)


class Jax:
    def __init__(self):
        os.environ["JAX_ENABLE_X64"] = "1"
        os.environ["JAX_PLATFORMS"] = "cpu"
        import jax
        import jax.numpy as jnp

        self.jax, self.jnp, self.version = jax, jnp, jax.__version__

    def threads(self):
        return len(os.sched_getaffinity(0))

    def call(self, f, *values):
        compiled = self.jax.jit(f).lower(*values).compile()
        return lambda: self.jax.block_until_ready(compiled(*values))

    def exp(self, x):
        return self.call(self.jnp.exp, self.jnp.asarray(x))

    def formula(self, name, a, b):
        f = formulas(self.jnp.square)[name]
        return self.call(f, self.jnp.asarray(a), self.jnp.asarray(b))

    def logistic(self, x, y, w):
        jax, jnp = self.jax, self.jnp

        def cost(w, b, x, y):
            z = x @ w + b
            xent = jnp.logaddexp(0, z) - y * z
            return xent.mean() + 0.01 * (w**2).sum(), (jax.nn.sigmoid(z) > 0.5, xent)

        def step(w, b, x, y):
            (gw, gb), out = jax.grad(cost, argnums=(0, 1), has_aux=True)(w, b, x, y)
            return w - 0.1 * gw, b - 0.1 * gb, out

        state = [jnp.asarray(w), jnp.float32(0)]
        x, y = jnp.asarray(x), jnp.asarray(y)
        compiled = jax.jit(step, donate_argnums=(0, 1)).lower(*state, x, y).compile()

        def run():
            state[0], state[1], out = compiled(*state, x, y)
            return jax.block_until_ready(out)

        return run

    def power(self, a, steps):
        loop = self.jax.lax.fori_loop

        def f(a, steps):
            return loop(0, steps, lambda i, y: y * a, self.jnp.ones_like(a))

        return self.call(f, self.jnp.asarray(a), self.jnp.asarray(steps))

    def polynomial(self, c, x):
        jnp = self.jnp

        def f(c, x):
            def step(y, both):
                return y + both[0] * x ** both[1], None

            return self.jax.lax.scan(step, jnp.float64(0), (c, jnp.arange(len(c))))[0]

        return self.call(f, jnp.asarray(c), jnp.float64(x))

    def logistic_map(self, steps):
        def f(x):
            return self.jax.lax.fori_loop(0, steps, lambda i, x: 3.7 * x * (1 - x), x)

        return self.call(f, self.jnp.float64(0.3))

    def recurrent(self, x, h, w, u, gradient):
        jnp = self.jnp

        def last(w, u, x, h):
            def step(h, row):
                return jnp.tanh(row + h @ u), None

            return self.jax.lax.scan(step, h, x @ w)[0]

        def slopes(w, u, x, h):
            cost = lambda w, u: (last(w, u, x, h) ** 2).sum()
            return self.jax.grad(cost, argnums=(0, 1))(w, u)

        return self.call(slopes if gradient else last, *map(jnp.asarray, (w, u, x, h)))


class Torch:
    def __init__(self):
        import torch

        self.torch, self.version = torch, torch.__version__
        torch.set_num_threads(len(os.sched_getaffinity(0)))
        torch.set_grad_enabled(False)

    def threads(self):
        return self.torch.get_num_threads()

    def exp(self, x):
        x = self.torch.from_numpy(x)
        out = self.torch.empty_like(x)
        return lambda: self.torch.exp(x, out=out)

    def formula(self, name, a, b):
        f = formulas(self.torch.square)[name]
        a, b = self.torch.from_numpy(a), self.torch.from_numpy(b)
        return lambda: f(a, b)

    def logistic(self, x, y, w):
        torch = self.torch
        x, y, w = map(torch.from_numpy, (x, y, w))
        b = torch.zeros(())

        def step():
            z = x @ w + b
            p = torch.sigmoid(z)
            xent = torch.nn.functional.softplus(z) - y * z
            d = (p - y) / ROWS
            w.sub_(x.t() @ d + 0.02 * w, alpha=0.1)
            b.sub_(d.sum(), alpha=0.1)
            return p > 0.5, xent

        return step

    def power(self, a, steps):
        a, out = self.torch.from_numpy(a), self.torch.empty(len(a), dtype=self.torch.float64)

        def run():
            out.fill_(1)
            for _ in range(steps):
                out.mul_(a)

        return run

    def recurrent(self, x, h, w, u, gradient):
        torch = self.torch
        x, h, w, u = map(torch.from_numpy, (x, h, w, u))
        w.requires_grad_(gradient)
        u.requires_grad_(gradient)

        def last():
            state = h
            for row in x @ w:
                state = torch.tanh(row + state @ u)
            return state

        def slopes():
            with torch.enable_grad():
                return torch.autograd.grad((last() ** 2).sum(), (w, u))

        return slopes if gradient else last


def core_type():
    """The processor that NumPy's BLAS takes this one for."""
    try:
        from threadpoolctl import threadpool_info

        return ",".join(sorted({str(i.get("architecture")) for i in threadpool_info()}))
    except ImportError:
        return os.environ.get("OPENBLAS_CORETYPE", "as it detects")


def measure(run, rounds):
    run()
    start = time.perf_counter()
    run()
    one = max(time.perf_counter() - start, 1e-7)
    times = max(1, min(20_000, int(5e-3 / one)))
    results = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(times):
            run()
        results.append((time.perf_counter() - start) / times * 1e6)
    quartiles = statistics.quantiles(results, n=4)
    return {"us": quartiles[1], "us_25": quartiles[0], "us_75": quartiles[2]}


def jobs(library, np):
    for dtype in ("float32", "float64"):
        yield f"exp/{dtype}/{EXP}", lambda: library.exp(numbers(np, EXP, dtype))
    for name in formulas(None):
        for size in SIZES:
            for dtype in ("float32", "float64"):
                a = numbers(np, size, dtype)
                yield f"{name}/{dtype}/{size}", lambda: library.formula(name, a, a[::-1].copy())
    yield f"logistic/float32/{ROWS}x{COLUMNS}", lambda: library.logistic(*logistic_data(np))
    loops = {
        "scan/power/float64/1000x1000": ("power", np.full(1000, 1.0001), 1000),
        "scan/polynomial/float64/10000": ("polynomial", np.ones(10_000), 0.999),
        "scan/logistic map/float64/1000000": ("logistic_map", 1_000_000),
        "scan/rnn forward/float32/100x64x128": ("recurrent", *recurrent_data(np), False),
        "scan/rnn gradient/float32/100x64x128": ("recurrent", *recurrent_data(np), True),
    }
    for group, (name, *values) in loops.items():
        make = getattr(library, name, None)
        if make:
            yield group, lambda: make(*values)


def run_library(name, filter_text, rounds):
    import numpy as np

    library = {"numpy": Numpy, "numexpr": Numexpr, "pytensor": Pytensor, "jax": Jax, "torch": Torch}[
        name]()
    facts = {"library": name, "version": library.version, "threads": library.threads(),
             "core": core_type()}
    for group, make in jobs(library, np):
        if filter_text not in group:
            continue
        run = make()
        if run is not None:
            print(json.dumps({**facts, "group": group, **measure(run, rounds)}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("filter", nargs="?", default="", help="part of the groups' names")
    parser.add_argument("--libraries", default=",".join(LIBRARIES))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--library", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.library:
        run_library(options.library, options.filter, options.rounds)
        return
    for name in options.libraries.split(","):
        command = [sys.executable, __file__, options.filter, "--rounds", str(options.rounds),
                   "--library", name]
        found = subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True)
        if found.returncode != 0:
            reason = found.stderr.decode().strip().splitlines()[-1:]
            print(json.dumps({"library": name, "skipped": " ".join(reason)}), flush=True)
            continue
        if subprocess.run(command).returncode != 0:
            print(json.dumps({"library": name, "skipped": "it failed: see above"}), flush=True)


if __name__ == "__main__":
    main()
