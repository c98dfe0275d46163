"""Measures of the operations that all libraries of arrays have: `xp` is the module with their names."""

ROW = 1024
OPERATIONS = 100
KERNELS = 8
CHUNKS = 32
BATCH_US = 20_000


class Library:
    """A library of arrays. `random(shape, dtype)`, `empty(shape, dtype)` and `positions(limit, count)` make arrays on its device, by names
    of dtypes; `copy(target, source)` and `take_rows(table, positions)` hide differences of names."""

    def __init__(self, xp, timing, random, empty, positions, copy, take_rows):
        self.xp, self.timing = xp, timing
        self.random, self.empty, self.positions = random, empty, positions
        self.copy, self.take_rows = copy, take_rows


def operations(own, library, sizes):
    xp, make, empty = library.xp, library.random, library.empty
    device = library.timing.device_of
    count, side = sizes["elements"], sizes["side"]
    nbytes = 4 * count
    source, target = empty(sizes["device"], "uint8"), empty(sizes["device"], "uint8")
    own.rate("copy.d2d", 2 * sizes["device"], lambda: device(lambda: library.copy(target, source)))
    del source, target
    a, b, out = make(count, "float32"), make(count, "float32"), empty(count, "float32")
    own.rate("ops.add", 3 * nbytes, lambda: device(lambda: xp.add(a, b, out=out)))
    own.rate("ops.exp", 2 * nbytes, lambda: device(lambda: xp.exp(a, out=out)))
    own.rate("ops.sum", nbytes, lambda: device(lambda: xp.sum(a)))
    rows = a.reshape(4, -1)
    own.rate("ops.sum.axis0", nbytes + nbytes / 4, lambda: device(lambda: xp.sum(rows, 0)))
    square, other, result = a.reshape(side, side), b.reshape(side, side), out.reshape(side, side)
    own.rate("ops.transpose", 2 * nbytes, lambda: device(lambda: library.copy(result, square.T)))
    own.rate("ops.argmax", nbytes, lambda: device(lambda: xp.argmax(a)))
    own.rate("ops.cumsum", 2 * nbytes, lambda: device(lambda: xp.cumsum(a, 0, out=out)))
    own.rate("ops.broadcast", 2 * nbytes, lambda: device(lambda: xp.add(square, other[0], out=result)))
    own.rate("ops.add.transposed", 3 * nbytes, lambda: device(lambda: xp.add(square.T, other, out=result)))
    half = out[: count // 2]
    own.rate("ops.strided", 1.5 * nbytes, lambda: device(lambda: xp.add(a[::2], b[::2], out=half)))
    parts = (a[: count // 2], b[: count // 2])
    own.rate("ops.concatenate", 2 * nbytes, lambda: device(lambda: xp.concatenate(parts)))
    choices(own, library, a, b)
    for name, width in (("float16", 2), ("int8", 1)):
        x, y, z = make(count, name), make(count, name), empty(count, name)
        own.rate(f"ops.add.{name}", 3 * width * count, lambda: device(lambda: xp.add(x, y, out=z)))
        own.rate(f"ops.sum.{name}", width * count, lambda: device(lambda: xp.sum(x)))


def choices(own, library, a, b):
    xp, device = library.xp, library.timing.device_of
    count = len(a)
    no, yes = a > 2, a < 2
    own.rate("ops.any", count, lambda: device(lambda: xp.any(no)))
    own.rate("ops.all", count, lambda: device(lambda: xp.all(yes)))
    mask = a > 0.5
    own.rate("ops.where", 13 * count, lambda: device(lambda: xp.where(mask, a, b)))
    some = count // 16
    positions = library.positions(count, some)
    own.rate("ops.take", 16 * some, lambda: device(lambda: library.take_rows(a, positions)))
    table = a.reshape(-1, ROW // 4)
    chosen = library.positions(len(table), count // 1024)
    own.rate("ops.take.rows", len(chosen) * (8 + 2 * ROW), lambda: device(lambda: library.take_rows(table, chosen)))


def captured(timing, call, result):
    """Returns a function that launches the graph of a call. If a call cannot be captured, the graph does not write the result."""
    call()
    launch = timing.capture(call)
    result *= 0
    launch()
    timing.synchronize()
    if not float(abs(result).max()) > 0:
        raise RuntimeError("a graph does not contain the call")
    return launch


def replayed(timing, call, result):
    """Device time of a call in a graph."""
    if timing.capture is not None:
        captured(timing, call, result)
    return timing.replay_of(call)


def products(own, library, sizes, dtypes):
    """`dtypes` are those that the library multiplies."""
    xp, timing, n = library.xp, library.timing, sizes["matmul"]

    def product(key, dtype, left, right, amount, in_graph=False):
        if dtype not in dtypes:
            return
        x, y = library.random(left, dtype), library.random(right, dtype)
        z = xp.matmul(x, y)

        def call():
            xp.matmul(x, y, out=z)

        own.rate(key, amount, lambda: replayed(timing, call, z) if in_graph else timing.device_of(call))

    for dtype in ("float32", "bfloat16"):
        product(f"matmul.{dtype}", dtype, (n, n), (n, n), 2 * n**3 / 1000)
    batch = sizes["batch"]
    for key, dtype, many, side in (
        ("matmul.1024.float16", "float16", 1, 1024),
        ("matmul.256.float32", "float32", 1, 256),
        ("matmul.64.float32", "float32", 16 * batch, 64),
        ("matmul.512.float16", "float16", batch, 512),
    ):
        shape = (side, side) if many == 1 else (many, side, side)
        product(key, dtype, shape, shape, 2 * many * side**3 / 1000, in_graph=True)
    product("matmul.vector", "float32", (n, n), (n,), 4 * (n * n + 2 * n))
    x, y, z = (library.random((64, 64), "float32") for _ in range(3))
    own.put("matmul.host", lambda: timing.host(lambda: xp.matmul(x, y, out=z), batch=500))


def graphs(own, library):
    xp, timing = library.xp, library.timing
    a, out = library.random(1024, "float32"), library.empty(1024, "float32")

    def all_operations():
        for _ in range(OPERATIONS):
            xp.add(a, a, out=out)

    all_operations()
    own.put("graph.without", lambda: timing.blocking(all_operations, runs=51))
    if timing.capture is None:
        return
    launch = captured(timing, all_operations, out)
    own.put("graph.capture", lambda: timing.host(lambda: timing.capture(all_operations), batch=10))
    own.put("graph.launch", lambda: timing.host(launch, batch=50))
    own.put("graph.replay", lambda: timing.device_of(launch))


def curves(own, library, sizes):
    xp, timing, replayed = library.xp, library.timing, sizes["replayed"]
    least = 2 if timing.capture is None else 50
    for exponent in sizes["exponents"]:
        count = 1 << exponent
        a, b, out = library.random(count, "float32"), library.random(count, "float32"), library.empty(count, "float32")
        calls = {
            "add": lambda: xp.add(a, b, out=out),
            "exp": lambda: xp.exp(a, out=out),
            "sum": lambda: xp.sum(a),
            "copy": lambda: library.copy(out, a),
        }
        for name, call in calls.items():
            key = f"curve.{name}.device.{exponent}"
            own.put(key, lambda: (timing.replay_of if exponent <= replayed else timing.device_of)(call))
            batch = min(500, max(least, int(BATCH_US / own.get(key, BATCH_US))))
            own.put(f"curve.{name}.host.{exponent}", lambda: timing.host(call, batch, runs=7))
        del a, b, out


def overlap(own, library, pinned, streams, host_bytes):
    """Chunks that are copied in, computed and copied out, each step on its own stream. `pinned(count)` makes pinned float32 arrays;
    `streams` are three, with `use()`, `record()` (an event after their work) and `wait(event)`."""
    xp, timing = library.xp, library.timing
    into, compute, back = streams
    length = host_bytes // 4 // CHUNKS
    sources, targets = ([pinned(length) for _ in range(CHUNKS)] for _ in range(2))
    inputs, outputs = ([library.random(length, "float32") for _ in range(CHUNKS)] for _ in range(2))
    timing.synchronize()

    def enter(i):
        with into.use():
            library.copy(inputs[i], sources[i])

    def work(i):
        with compute.use():
            for _ in range(KERNELS):
                xp.add(inputs[i], 1, out=outputs[i])

    def leave(i):
        with back.use():
            library.copy(targets[i], outputs[i])

    def whole(*steps):
        for i in range(CHUNKS):
            for step in steps:
                step(i)

    def ordered():
        for i in range(CHUNKS):
            enter(i)
            compute.wait(into.record())
            work(i)
            back.wait(compute.record())
            leave(i)

    both = timing.blocking(lambda: whole(enter, leave))
    own.rate("overlap.both", 2 * host_bytes, lambda: both)
    own.put("overlap.pipeline", lambda: 100 * both / timing.blocking(ordered))
