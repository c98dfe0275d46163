/** Reads the connection file that the Jupyter server writes for each kernel, or the registration file of protocol 5.6. */

import { getHashes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readCurveKeys, type CurveKeys } from './curve-keys.ts';

/** Names of the ports in the file and in `connect_reply`. */
export const PORT_NAMES = ['shell_port', 'iopub_port', 'stdin_port', 'control_port', 'hb_port'] as const;

export type Ports = Readonly<Record<(typeof PORT_NAMES)[number], number>>;

export interface Connection {
  /** The path of the file. */
  readonly file: string;
  readonly transport: 'tcp' | 'ipc';
  readonly ip: string;
  /** Zero for a port that the kernel chooses. */
  readonly ports: Ports;
  /** Secret of the signatures; if empty, messages are not signed. */
  readonly key: string;
  /** Hash of the HMAC, under its name in `node:crypto`. */
  readonly hash: string;
  /** Undefined if the connection is not encrypted. */
  readonly curve: CurveKeys | undefined;
  /** Where the kernel registers the ports that it chose; undefined for a connection file. */
  readonly registration: Registration | undefined;
}

/** The service of the Jupyter server that learns the ports of kernels (JEP 66). */
export interface Registration {
  readonly kernelId: string;
  readonly ip: string;
  readonly port: number;
}

/** Returns the ZeroMQ address of a port. */
export function endpoint(transport: Connection['transport'], ip: string, port: number | '*'): string {
  return transport === 'tcp' ? `tcp://${ip}:${port}` : `ipc://${ip}-${port}`;
}

/** Error for a connection file that cannot be used; the message names the file and the fault. */
export class ConnectionFileError extends Error {
  readonly path: string;

  constructor(path: string, fault: string, options?: ErrorOptions) {
    super(`The connection file ${path} ${fault}`, options);
    this.name = 'ConnectionFileError';
    this.path = path;
  }
}

/** Reads a connection file. Throws `ConnectionFileError`. */
export function readConnectionFile(path: string): Connection {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConnectionFileError(path, `cannot be read: ${READ_FAULTS[code ?? ''] ?? code}`, {
      cause: error
    });
  }
  return parseConnection(path, text);
}

const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission is denied',
  EISDIR: 'it is a folder'
};

/** Parses a connection file. `path` is used only in messages. Throws `ConnectionFileError`. */
export function parseConnection(path: string, text: string): Connection {
  const fields = parseObject(path, text);
  const fail = (fault: string): never => {
    throw new ConnectionFileError(path, fault);
  };
  const string = (name: string, fallback?: string): string => {
    const value = fields[name] ?? fallback;
    return typeof value === 'string'
      ? value
      : fail(`has ${JSON.stringify(value)} as "${name}", expected a string`);
  };
  const port = (name: string): number => {
    // Some servers write the registration port as text.
    const value = name === 'registration_port' ? Number(fields[name]) : fields[name];
    const valid = typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
    return valid ? value : fail(`has ${JSON.stringify(fields[name])} as "${name}", expected a port number`);
  };
  const transport = string('transport', 'tcp');
  if (transport !== 'tcp' && transport !== 'ipc') {
    return fail(`has the transport "${transport}", expected "tcp" or "ipc"`);
  }
  const scheme = string('signature_scheme', 'hmac-sha256');
  const hash = scheme.replace(/^hmac-/, '');
  if (hash === scheme || !getHashes().includes(hash))
    fail(`has the signature scheme "${scheme}", expected "hmac-" and a hash that Node supports`);
  const registration =
    fields['registration_port'] === undefined
      ? undefined
      : { kernelId: string('kernel_id'), ip: string('registration_ip'), port: port('registration_port') };
  const portOf = registration === undefined ? port : () => 0;
  return {
    file: path,
    transport,
    ip: string('ip', registration?.ip),
    ports: Object.fromEntries(PORT_NAMES.map(name => [name, portOf(name)])) as Connection['ports'],
    key: string('key', ''),
    hash,
    curve: readCurveKeys(fields, fail),
    registration
  };
}

function parseObject(path: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConnectionFileError(path, `is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConnectionFileError(path, 'is not a JSON object');
  }
  return value as Record<string, unknown>;
}
