/** Reads the connection file that the Jupyter server writes for each kernel. */

import { getHashes } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Names of the ports in the file and in `connect_reply`. */
export const PORT_NAMES = ['shell_port', 'iopub_port', 'stdin_port', 'control_port', 'hb_port'] as const;

export interface Connection {
  readonly transport: 'tcp' | 'ipc';
  readonly ip: string;
  readonly ports: Readonly<Record<(typeof PORT_NAMES)[number], number>>;
  /** Secret of the signatures; if empty, messages are not signed. */
  readonly key: string;
  /** Hash of the HMAC, under its name in `node:crypto`. */
  readonly hash: string;
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
    const value = fields[name];
    const valid = typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
    return valid ? value : fail(`has ${JSON.stringify(value)} as "${name}", expected a port number`);
  };
  const curve = Object.keys(fields).find(name => name.startsWith('curve'));
  if (curve !== undefined) fail(`requires encryption ("${curve}"), which this kernel does not support`);
  const transport = string('transport', 'tcp');
  if (transport !== 'tcp' && transport !== 'ipc') {
    return fail(`has the transport "${transport}", expected "tcp" or "ipc"`);
  }
  const scheme = string('signature_scheme', 'hmac-sha256');
  const hash = scheme.replace(/^hmac-/, '');
  if (hash === scheme || !getHashes().includes(hash))
    fail(`has the signature scheme "${scheme}", expected "hmac-" and a hash that Node supports`);
  return {
    transport,
    ip: string('ip'),
    ports: Object.fromEntries(PORT_NAMES.map(name => [name, port(name)])) as Connection['ports'],
    key: string('key', ''),
    hash
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
