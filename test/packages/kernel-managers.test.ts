/** Jupyter's kernel manager in the versions that the kernel supports: before encryption, its first releases, the newest. */

import { join } from 'node:path';
import { runManagerTests } from '../kernel/managers/run.ts';
import { root, run } from '../setup/repository.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const PLAIN = [
  'EncryptionTests.test_default',
  'HandshakeTests.test_registers_at_each_start',
  'ProvisionerTests.test_interrupts_by_a_signal',
  'ProvisionerTests.test_starts_interrupts_and_stops'
];
const ENCRYPTED = [
  'EncryptionTests.test_a_restart_keeps_the_keys',
  'EncryptionTests.test_auto_follows_the_entry',
  'EncryptionTests.test_required_with_the_entry_as_text',
  'EncryptionTests.test_required_with_the_registered_kernelspec',
  'HandshakeTests.test_encrypted',
  'ProvisionerTests.test_encrypted'
];
const IPC = ['EncryptionTests.test_required_over_ipc'];

test.each([
  ['8.6.3', PLAIN, [...ENCRYPTED, ...IPC]],
  ['8.8.0', PLAIN, [...ENCRYPTED, ...IPC]],
  ['8.9.1', [...PLAIN, ...ENCRYPTED], IPC],
  ['8.10.0', [...PLAIN, ...ENCRYPTED, ...IPC], []]
])(
  'the kernel runs under jupyter_client %s',
  async (version, passed, skipped) => {
    const packages = temporaryFolder();
    const pip = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-cache-dir',
      '--disable-pip-version-check',
      '--no-deps'
    ];
    const { status, output } = await run(join(root, '.venv', 'bin', 'python'), [
      ...pip,
      '--target',
      packages,
      `jupyter_client==${version}`
    ]);
    expect({ status, output }).toMatchObject({ status: 0 });
    expect(await runManagerTests(temporaryFolder(), { packages })).toEqual({
      failures: '',
      passed: [...passed].sort(),
      skipped: [...skipped].sort()
    });
  },
  600_000
);
