/** The kernel under Jupyter's own kernel manager; test/packages/kernel-managers.test.ts runs more, with more versions. */

import { temporaryFolder } from '../setup/temporary-folder.ts';
import { runManagerTests } from './managers/run.ts';

test('starts encrypted, by a provisioner, and by the handshake of protocol 5.6', async () => {
  const only = [
    'EncryptionTests.test_required_with_the_registered_kernelspec',
    'HandshakeTests.test_encrypted',
    'ProvisionerTests.test_starts_interrupts_and_stops'
  ];
  const passed = await runManagerTests(temporaryFolder(), { only });
  expect(passed).toEqual({ failures: '', passed: only, skipped: [] });
}, 120_000);
