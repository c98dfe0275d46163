/** Registration of memory managers. */

import { MemoryManagerError } from '../../../src/base/errors.ts';
import {
  BaseCUDAMemoryManager,
  currentManager,
  DefaultCUDAMemoryManager,
  HostOnlyCUDAMemoryManager,
  setMemoryManager,
  usingMemoryManager,
  type MemoryManagerClass
} from '../../../src/memory/index.ts';
import { DeviceOnlyPlugin, simulated, StandAlonePlugin, TransparentAdaptor } from './plugins.ts';

const VARIABLE = 'STRIDELAB_CUDA_MEMORY_MANAGER';
delete process.env[VARIABLE];

const errorOf = (action: () => unknown): MemoryManagerError => {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(MemoryManagerError);
    return error as MemoryManagerError;
  }
  throw new Error('nothing was thrown');
};
const register = (value: unknown) => () => setMemoryManager(value as MemoryManagerClass);

describe('the class', () => {
  test('rule 178: a class that lacks methods is refused when it is registered, and they are named', () => {
    class Partial {
      static interfaceVersion = 1;
      memalloc(): void {}
      initialize(): void {}
    }
    const { message } = errorOf(register(Partial));
    expect(message).toContain(
      'Partial lacks memhostalloc, mempin, getIpcHandle, getMemoryInfo, reset, deferCleanup'
    );
  });

  test('rules 178, 214: a subclass of the host-only class must add three methods and a version', () => {
    class Nothing extends (HostOnlyCUDAMemoryManager as unknown as new () => object) {}
    expect(errorOf(register(Nothing)).message).toContain(
      'lacks memalloc, getIpcHandle, getMemoryInfo, interfaceVersion'
    );
  });

  test.each([
    ['an instance', () => new DefaultCUDAMemoryManager(simulated)],
    ['null', () => null],
    ['a name', () => 'DefaultCUDAMemoryManager'],
    ['an arrow function', () => () => undefined]
  ])('rule 200: %s is refused', (_name, make) => {
    expect(errorOf(register(make())).message).toContain('expected the class of a memory manager');
  });

  test('rule 199: another version is refused, without making an instance', () => {
    let made = 0;
    class Future extends StandAlonePlugin {
      constructor() {
        super(simulated);
        made++;
      }
      override interfaceVersion(): number {
        return 3;
      }
    }
    expect(errorOf(register(Future)).message).toContain('written for version 3');
    expect(made).toBe(0);
    class FutureStatic extends DeviceOnlyPlugin {
      static override readonly interfaceVersion = 7 as 1;
    }
    expect(errorOf(register(FutureStatic)).message).toContain('version 7');
  });

  test('rules 199, 217: versions 1 and 2 are accepted, as a static or as a method', () => {
    class Two extends StandAlonePlugin {
      static interfaceVersion = 2;
    }
    for (const managerClass of [DeviceOnlyPlugin, StandAlonePlugin, Two]) {
      using _ = usingMemoryManager(managerClass);
    }
  });
});

describe('calls to super', () => {
  class Silent extends DeviceOnlyPlugin {
    override initialize(): void {}
  }
  class NoReset extends DeviceOnlyPlugin {
    override reset(): void {}
  }
  class NoDefer extends DeviceOnlyPlugin {
    override deferCleanup(): Disposable {
      return { [Symbol.dispose]: () => undefined };
    }
  }
  test.each([
    ['initialize', Silent],
    ['reset', NoReset],
    ['deferCleanup', NoDefer]
  ])('rules 197, 214: %s without super is refused before the first allocation', (method, managerClass) => {
    using _ = usingMemoryManager(managerClass);
    const { message } = errorOf(() => currentManager(simulated).memalloc(8));
    expect(message).toContain(`${method}() of ${managerClass.name} did not call super.${method}()`);
    class Wrapped extends TransparentAdaptor {
      constructor() {
        super(simulated, managerClass);
      }
    }
    using _wrapped = usingMemoryManager(Wrapped);
    expect(errorOf(() => currentManager(simulated)).message).toContain(method);
  });

  test('rules 185, 214: overrides that call super are accepted', () => {
    const order: string[] = [];
    class Polite extends DeviceOnlyPlugin {
      override initialize(): void {
        super.initialize();
        order.push('initialize');
      }
      override reset(): void {
        super.reset();
        order.push('reset');
      }
      override deferCleanup(): Disposable {
        order.push('deferCleanup');
        return super.deferCleanup();
      }
    }
    using _ = usingMemoryManager(Polite);
    expect(currentManager(simulated)).toBeInstanceOf(Polite);
    expect(order).toEqual(['reset', 'initialize', 'deferCleanup']);
  });

  test('rule 196: a deferCleanup that returns nothing is named', () => {
    class Careless extends StandAlonePlugin {
      override deferCleanup(): Disposable {
        return undefined as unknown as Disposable;
      }
    }
    using _ = usingMemoryManager(Careless);
    expect(errorOf(() => currentManager(simulated)).message).toContain('did not return a Disposable');
  });
});

describe('selection', () => {
  test('rule 202: if the variable is set, registering warns and has no effect', () => {
    const { emitWarning } = process;
    const warnings: unknown[][] = [];
    process.env[VARIABLE] = 'default';
    process.emitWarning = (...warning: unknown[]) => void warnings.push(warning);
    try {
      setMemoryManager(DeviceOnlyPlugin);
      expect(currentManager(simulated)).toBeInstanceOf(DefaultCUDAMemoryManager);
    } finally {
      process.emitWarning = emitWarning;
      delete process.env[VARIABLE];
    }
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.[0]).toContain('setMemoryManager(DeviceOnlyPlugin) is ignored');
    expect(warnings[0]?.[0]).toContain(`${VARIABLE}=default`);
  });

  test('rule 201: registering after memory was allocated is an error with advice', () => {
    currentManager(simulated);
    const { message } = errorOf(register(DeviceOnlyPlugin));
    expect(message).toContain('before the first array');
    expect(message).toContain('usingMemoryManager');
    setMemoryManager(DefaultCUDAMemoryManager);
  });

  test('rules 184, 200: each device has one instance of the class, initialized before it allocates', () => {
    using _ = usingMemoryManager(StandAlonePlugin);
    const manager = currentManager(simulated) as StandAlonePlugin;
    expect(manager.calls).toContain('initialize');
    expect(manager.context).toBe(simulated);
    expect(currentManager('sim:0')).toBe(manager);
  });

  test('rule 201: scopes nest, restore the previous manager, and keep their instances', () => {
    const outside = currentManager(simulated);
    const outer = usingMemoryManager(DeviceOnlyPlugin);
    const first = currentManager(simulated);
    const inner = usingMemoryManager(StandAlonePlugin);
    const second = currentManager(simulated);
    expect(second).toBeInstanceOf(StandAlonePlugin);
    outer[Symbol.dispose]();
    expect(currentManager(simulated)).toBe(second);
    inner[Symbol.dispose]();
    inner[Symbol.dispose]();
    expect(currentManager(simulated)).toBe(outside);
    using _ = usingMemoryManager(DeviceOnlyPlugin);
    expect(currentManager(simulated)).toBe(first);
  });

  test('rule 224: a constructor that throws leaves nothing behind, and the next call tries again', () => {
    let attempts = 0;
    class Flaky extends DeviceOnlyPlugin {
      constructor(...[context]: ConstructorParameters<typeof DeviceOnlyPlugin>) {
        super(context);
        if (++attempts === 1) throw new Error('not yet');
      }
    }
    using _ = usingMemoryManager(Flaky);
    expect(() => currentManager(simulated)).toThrow('not yet');
    expect(currentManager(simulated)).toBeInstanceOf(Flaky);
  });

  test('rule 215: managed memory is unsupported unless a plugin offers it', () => {
    expect(typeof BaseCUDAMemoryManager.prototype.memallocmanaged).toBe('function');
    using _ = usingMemoryManager(StandAlonePlugin);
    expect(errorOf(() => currentManager(simulated).memallocmanaged(8)).message).toContain(
      'StandAlonePlugin does not support managed memory'
    );
  });
});
