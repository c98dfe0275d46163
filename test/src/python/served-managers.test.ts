/** Memory managers written in Python, used by this library. */

import {
  currentManager,
  DefaultCUDAMemoryManager,
  getMemoryInfo,
  memalloc,
  memallocmanaged,
  memhostalloc,
  mempin,
  deferCleanup,
  resetMemory,
  StatisticsAdaptor,
  usingMemoryManager
} from '../../../src/memory/index.ts';
import { getIpcHandle } from '../../../src/sharing/index.ts';
import {
  devices,
  full,
  MemoryManagerError,
  OutOfMemoryError,
  python,
  PythonError,
  zeros
} from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import type { PyObject } from '../../../src/python/index.ts';
import { thrown } from './asking.ts';
import { describeWith, obstacle, pythonOfTests } from './environment.ts';

const device = devices().find(({ simulated }) => simulated) ?? devices()[0];
if (device === undefined) throw new Error('no device');
const on = { device };

/** A manager in the form of NBEP 7, over functions of this process that stand in for a library's. */
const MANAGER = `
import contextlib, ctypes, weakref

class Pointer:
  def __init__(self, pointer, size, finalizer, host=None):
    self.device_pointer = ctypes.c_uint64(pointer)
    self.host_pointer = ctypes.c_void_p(pointer if host is None else host)
    self.size = size
    weakref.finalize(self, finalizer)

NUMBERS = (ctypes.c_byte * 64)(*range(64))
class WithBytes:
  reserved = bytes(NUMBERS)
class WithAddress:
  def getPtr(self): return ctypes.addressof(NUMBERS)

class Handle:
  of_driver = NUMBERS
  def __init__(self, base):
    self.handle = Handle.of_driver
    self.size = base.size
    self.offset = 512

class Manager:
  made = []
  def __init__(self, context):
    self.context = context
    self.log = []
    self.initialized = self.deferred = 0
    Manager.made.append(self)
  def _give(self, what, address, size, free):
    self.log.append((what, size))
    def finalize():
      self.log.append(("free", size))
      free(address)
    return Pointer(address, size, finalize)
  def memalloc(self, size):
    if size > 1000000: raise MemoryError(f"the manager has no {size} bytes")
    if size == 666: raise ValueError("it will not")
    return self._give("device", take(size), size, give)
  def memhostalloc(self, size, mapped, portable, wc):
    return self._give(("host", mapped, portable, wc), take_host(size), size, give_host)
  def mempin(self, owner, pointer, size, mapped):
    return self._give(("pin", owner), pointer, size, lambda address: None)
  def initialize(self): self.initialized += 1
  def get_ipc_handle(self, memory): return Handle(memory)
  def get_memory_info(self): return 1234, 5678
  def reset(self): self.log.append("reset")
  @contextlib.contextmanager
  def defer_cleanup(self):
    self.deferred += 1
    yield
    self.deferred -= 1
  @property
  def interface_version(self): return 1
`;

function served(name = 'Manager') {
  return python.memoryManager(python.evaluate(name) as PyObject);
}

/** The records of the current scope's manager. */
function log(): unknown {
  native().drainReleases();
  native().drainReleases(true);
  return python.toJS(python.evaluate('Manager.made[-1].log[1:]'));
}

describeWith([], 'a memory manager written in Python', () => {
  beforeAll(() => {
    if (obstacle === null) python.start({ python: pythonOfTests });
    const { raw } = native();
    const names = python.evaluate('globals()') as PyObject;
    const options = { mapped: true, portable: false, writeCombined: false };
    const functions = {
      take: (size: number) => raw.memAlloc(device.native, size),
      give: (address: number | bigint) => raw.memFree(device.native, BigInt(address)),
      take_host: (size: number) => raw.memHostAlloc(device.native, size, options).host,
      give_host: (address: number | bigint) => raw.memFreeHost(device.native, BigInt(address))
    };
    for (const [name, function_] of Object.entries(functions)) python.setItem(names, name, function_);
    python.run(MANAGER);
  });

  test('rules 179, 211: allocates the memory of arrays, and its finalizer runs once', () => {
    using _ = usingMemoryManager(served());
    const array = full([10, 10], 3, { ...on, dtype: 'float32' });
    const view = array.slice(2);
    expect(log()).toEqual([['device', 400]]);
    array.dispose();
    expect(view.toTypedArray()).toEqual(new Float32Array(10).fill(3));
    expect(log()).toEqual([['device', 400]]);
    view.dispose();
    view.dispose();
    expect(log()).toEqual([
      ['device', 400],
      ['free', 400]
    ]);
  });

  test('rule 200: has one instance for each device', () => {
    using _ = usingMemoryManager(served());
    currentManager(device);
    python.run('count = len(Manager.made)');
    memalloc(10, on).free();
    memalloc(10, on).free();
    expect(python.evaluate('len(Manager.made) - count')).toBe(0);
    expect(python.evaluate('Manager.made[-1].context.device.id')).toBe(device.ordinal);
    expect(python.evaluate('Manager.made[-1].initialized')).toBe(1);
  });

  test('rule 180: is not called for zero bytes', () => {
    using _ = usingMemoryManager(served());
    expect(memalloc(0, on).pointer).toBe(0n);
    expect(memhostalloc(0, { ...on, mapped: true }).size).toBe(0);
    expect(log()).toEqual([]);
  });

  test('rules 181, 212: allocates host memory, with its flags', () => {
    using _ = usingMemoryManager(served());
    using mapped = memhostalloc(64, { ...on, mapped: true, portable: true });
    using pinned = memhostalloc(32, { ...on, wc: true });
    new Uint8Array(mapped.buffer).fill(5);
    expect(new Uint8Array(pinned.buffer).length).toBe(32);
    expect(log()).toEqual([
      [['host', true, true, false], 64],
      [['host', false, false, true], 32]
    ]);
    mapped.free();
    expect(log()).toContainEqual(['free', 64]);
  });

  test('rule 182: pins memory for an owner of Python or of JavaScript', () => {
    using _ = usingMemoryManager(served());
    const block = native().raw.memHostAlloc(device.native, 16, {
      mapped: true,
      portable: false,
      writeCombined: false
    });
    python.run('owner = "the owner"');
    const own = mempin(python.str('the owner'), block.host, 16, on);
    expect(own.owner).toBeDefined();
    const other = {};
    expect(mempin(other, block.host, 16, on).owner).toBe(other);
    expect(log()).toEqual([
      [['pin', 'the owner'], 16],
      [['pin', null], 16]
    ]);
    native().raw.memFreeHost(device.native, block.host);
  });

  test('rule 187: reports free and total bytes', () => {
    using _ = usingMemoryManager(served());
    expect(getMemoryInfo(device)).toEqual({ free: 1234, total: 5678 });
    python.run('class Silent(Manager):\n  def get_memory_info(self): raise NotImplementedError()');
    using silent = usingMemoryManager(served('Silent'));
    expect(thrown(() => getMemoryInfo(device))).toBeInstanceOf(MemoryManagerError);
    void silent;
  });

  test.each([
    ['a ctypes array', 'NUMBERS'],
    ['a struct with its bytes, as of cuda-bindings 13.3', 'WithBytes()'],
    ['a struct with its address, as of cuda-bindings 13.5', 'WithAddress()']
  ])(
    'rule 188, defect 17: returns a handle for other processes, which is %s, with its offset',
    (_name, handle) => {
      python.run(`Handle.of_driver = ${handle}`);
      using _ = usingMemoryManager(served());
      using array = zeros([8], { ...on, dtype: 'uint8' });
      expect(thrown(() => getIpcHandle(array))).toBeInstanceOf(Error);
      const memory = currentManager(device).memalloc(100);
      const given = currentManager(device).getIpcHandle(memory);
      expect([...given.handle]).toEqual([...Array(64).keys()]);
      expect(given).toMatchObject({ size: 100, offset: 512, base: memory });
      memory.free();
    }
  );

  test('rules 185, 186: can be reset, after which arrays are freed and releases are silent', () => {
    using _ = usingMemoryManager(served());
    const array = zeros([4], on);
    resetMemory(device);
    expect(python.evaluate('Manager.made[-1].log[-1]')).toBe('reset');
    expect(() => array.toTypedArray()).toThrow();
    array.dispose();
  });

  test('rule 196: defer_cleanup is a context manager that is left once', () => {
    using _ = usingMemoryManager(served());
    const outer = deferCleanup(device);
    const inner = deferCleanup(device);
    expect(python.evaluate('Manager.made[-1].deferred')).toBe(2);
    inner[Symbol.dispose]();
    inner[Symbol.dispose]();
    outer[Symbol.dispose]();
    expect(python.evaluate('Manager.made[-1].deferred')).toBe(0);
  });

  test('rule 209: its MemoryError is OutOfMemoryError, after other remedies were tried', () => {
    using _ = usingMemoryManager(served());
    const error = thrown(() => memalloc(2000000, on));
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect(error.message).toContain('Manager: MemoryError: the manager has no 2000000 bytes');
    expect(error.cause).toBeInstanceOf(PythonError);
    memalloc(10, on).free();
  });

  test('rule 224: any other exception is passed on unchanged, and the library stays consistent', () => {
    using _ = usingMemoryManager(served());
    expect(thrown(() => memalloc(666, on))).toMatchObject({ type: 'ValueError' });
    using array = zeros([4], on);
    expect(array.toTypedArray()).toEqual(new Float64Array(4));
  });

  test('rule 215: allocates managed memory only if it offers it', () => {
    using _ = usingMemoryManager(served());
    expect(() => memallocmanaged(10, on)).toThrow('does not support managed memory (rule 215: optional)');
    python.run(
      'class Managed(Manager):\n  def memallocmanaged(self, size, attach): return self._give(("managed", attach), take(size), size, give)'
    );
    using managed = usingMemoryManager(served('Managed'));
    memallocmanaged(10, { ...on, attachGlobal: false }).free();
    expect(log()).toEqual([
      [['managed', false], 10],
      ['free', 10]
    ]);
    void managed;
  });

  test('rule 220: can be wrapped by adaptors', () => {
    using _ = usingMemoryManager(StatisticsAdaptor.over(served()));
    using array = zeros([100], { ...on, dtype: 'uint8' });
    const { currentBytes } = (currentManager(device) as StatisticsAdaptor).statistics();
    expect(currentBytes).toBe(array.nbytes);
  });

  test.each([
    [
      'rule 178: a class that lacks methods',
      'class Bad:\n  def memalloc(self, size): pass',
      /lacks memhostalloc, mempin/
    ],
    [
      'rule 178: an abstract class',
      'import abc\nclass Bad(Manager, abc.ABC):\n  @abc.abstractmethod\n  def memalloc(self, size): pass',
      /lacks memalloc/
    ],
    ['rule 199: another version', 'class Bad(Manager):\n  interface_version = 2', /written for version 2/],
    [
      'rule 199: a version that a method tells',
      'class Bad(Manager):\n  def interface_version(self): return 3',
      /written for version 3/
    ],
    ['rule 200: an instance', 'Bad = Manager(None)', /expected the class of a memory manager/]
  ])('%s is refused immediately', (_title, source, message) => {
    python.run(source);
    expect(() => served('Bad')).toThrow(MemoryManagerError);
    expect(() => served('Bad')).toThrow(message);
  });

  test('rule 199: no instance is made to read the version, unless the class has it on instances', () => {
    python.run('count = len(Manager.made)');
    served();
    expect(python.evaluate('len(Manager.made) - count')).toBe(0);
    python.run(`
class Asking(Manager):
  def __init__(self, context):
    super().__init__(context)
    self.version = 1
  interface_version = property(lambda self: self.version)
`);
    expect(served('Asking').name).toBe('Asking');
  });

  test('an invalid result is refused by name', () => {
    python.run('class Odd(Manager):\n  def memalloc(self, size): return 5');
    using _ = usingMemoryManager(served('Odd'));
    expect(thrown(() => memalloc(8, on)).message).toContain('int has no device_pointer');
    expect(DefaultCUDAMemoryManager.name).not.toBe(served('Odd').name);
  });
});
