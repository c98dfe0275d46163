/** Two servers on this machine: that of the page, configured as in docs/remote.md, and the one that runs its kernels, encrypted. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startLabServer } from '../../scripts/lab/server.mjs';
import { root } from '../setup/repository.ts';

type Server = Awaited<ReturnType<typeof startLabServer>>;

export interface GatewayServers {
  readonly page: Server;
  readonly remote: Server;
  stop(): Promise<void>;
}

/** Starts both below an empty folder; notebooks are in `folder`. */
export async function startGatewayServers(folder: string): Promise<GatewayServers> {
  const [pageState, remoteState] = ['page', 'remote'].map(name => join(folder, name)) as [string, string];
  for (const state of [join(pageState, 'config'), remoteState]) mkdirSync(state, { recursive: true });
  const remote = await startLabServer({
    folder: remoteState,
    state: remoteState,
    more: ['--MappingKernelManager.transport_encryption=required']
  });
  writeFileSync(
    join(pageState, 'config', 'jupyter_server_config.py'),
    `import sys
sys.path.append(${JSON.stringify(join(root, 'python'))})
c.GatewayClient.url = ${JSON.stringify(remote.url)}
c.GatewayClient.auth_token = ${JSON.stringify(remote.token)}
c.ServerApp.kernel_websocket_connection_class = "stridelab.gateway.BinaryGatewayConnection"
`
  );
  try {
    const more = ['--LabApp.expose_app_in_browser=True'];
    const page = await startLabServer({ folder, state: pageState, more });
    return { page, remote, stop: async () => void (await Promise.all([page.stop(), remote.stop()])) };
  } catch (error) {
    await remote.stop();
    throw error;
  }
}
