/** The environment variable that selects the memory manager. */

import { MemoryManagerError } from '../../../src/base/errors.ts';
import { currentManager, DefaultCUDAMemoryManager } from '../../../src/memory/index.ts';
import { managerFromEnvironment } from '../../../src/memory/environment.ts';
import { DeviceOnlyPlugin, simulated } from './plugins.ts';

const VARIABLE = 'STRIDELAB_CUDA_MEMORY_MANAGER';

function selected(value: string): unknown {
  process.env[VARIABLE] = value;
  return managerFromEnvironment();
}

function failure(value: string): MemoryManagerError {
  try {
    selected(value);
  } catch (error) {
    expect(error).toBeInstanceOf(MemoryManagerError);
    return error as MemoryManagerError;
  }
  throw new Error('nothing was thrown');
}

describe('the value', () => {
  test('rule 202: unset or empty selects nothing, default selects the built-in manager', () => {
    delete process.env[VARIABLE];
    expect(managerFromEnvironment()).toBeNull();
    expect(selected('')).toBeNull();
    expect(selected(' default ')).toBe(DefaultCUDAMemoryManager);
  });

  test('rule 202: a module is used with its named export, else its default', async () => {
    expect(selected('./test/src/managers/host-only.plugin.ts')).toBe(DeviceOnlyPlugin);
    const { default: combined } = await import('./limited-statistics.plugin.ts');
    expect(selected('./test/src/managers/limited-statistics.plugin.ts')).toBe(combined);
    expect(selected('./src/memory/managers/best-fit-pool.ts')).toHaveProperty(
      'name',
      'BestFitPoolMemoryManager'
    );
  });

  test('rule 203: a module that cannot be loaded throws its own error', () => {
    const { message, cause } = failure('./test/src/managers/throwing.plugin.ts');
    expect(message).toContain(VARIABLE);
    expect(message).toContain('the plugin needs librmm.so');
    expect((cause as Error).message).toBe('the plugin needs librmm.so');
  });

  test('rule 203: a missing module is named', () => {
    const { message, cause } = failure('stridelab-no-such-plugin');
    expect(message).toContain('stridelab-no-such-plugin');
    expect(cause).toHaveProperty('code', 'MODULE_NOT_FOUND');
    expect(message).not.toContain('not a class');
  });

  test('rule 202: a dotted path to a class throws a clear error', () => {
    expect(failure('rmm.RMMNumbaManager').message).toContain(
      "The value names a module, not a class: export the class from it as '_stridelab_memory_manager'"
    );
  });

  test('rules 178, 202: a module without a plugin, or with a broken one, is named', () => {
    expect(failure('./src/base/errors.ts').message).toContain('exports neither');
    expect(failure('./test/src/managers/broken.plugin.ts').message).toContain('Broken lacks memalloc');
  });
});

test('rules 202, 222: the variable applies to allocations', () => {
  process.env[VARIABLE] = './test/src/managers/host-only.plugin.ts';
  expect(currentManager(simulated)).toBeInstanceOf(DeviceOnlyPlugin);
});
