/** Reads the connection file that the Jupyter server writes for each kernel. */

import { getHashes } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface Connection {
  readonly transport: 'tcp' | 'ipc';
  readonly ip: string;
  readonly shellPort: number;
  readonly iopubPort: number;
  readonly stdinPort: number;
  readonly controlPort: number;
  readonly heartbeatPort: number;
  /** Secret of the signatures; messages are not signed where it is empty. */
  readonly key: string;
  /** Hash of the HMAC, as `node:crypto` names it. */
  readonly hash: string;
}

/** A connection file that cannot be used; the message names the file and the fault. */
export class ConnectionFileError extends Error {
  readonly path: string;

  constructor(path: string, fault: string, options?: ErrorOptions) {
    super(`The connection file ${path} ${fault}`, options);
    this.name = 'ConnectionFileError';
    this.path = path;
  }
}

/** Throws `ConnectionFileError`. */
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

/** `path` is for the messages only. Throws `ConnectionFileError`. */
export function parseConnection(path: string, text: string): Connection {
  const fields = parseObject(path, text);
  const fail = (fault: string): never => {
    throw new ConnectionFileError(path, fault);
  };
  const string = (name: string, fallback?: string): string => {
    const value = fields[name] ?? fallback;
    return typeof value === 'string' ? value : fail(`has no text under "${name}"`);
  };
  const port = (name: string): number => {
    const value = fields[name];
    const valid = typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
    return valid ? value : fail(`has no port number under "${name}"`);
  };
  const curve = Object.keys(fields).find(name => name.startsWith('curve'));
  if (curve !== undefined) fail(`asks for encryption ("${curve}"), which this kernel does not support`);
  const transport = string('transport', 'tcp');
  if (transport !== 'tcp' && transport !== 'ipc') {
    return fail(`asks for the transport "${transport}"; this kernel supports "tcp" and "ipc"`);
  }
  const scheme = string('signature_scheme', 'hmac-sha256');
  const hash = scheme.replace(/^hmac-/, '');
  if (hash === scheme || !getHashes().includes(hash))
    fail(`asks for the unknown signature scheme "${scheme}"`);
  return {
    transport,
    ip: string('ip'),
    shellPort: port('shell_port'),
    iopubPort: port('iopub_port'),
    stdinPort: port('stdin_port'),
    controlPort: port('control_port'),
    heartbeatPort: port('hb_port'),
    key: string('key', ''),
    hash
  };
}

/** Content of `connect_reply`. */
export function connectContent(connection: Connection): object {
  const { shellPort, iopubPort, stdinPort, heartbeatPort, controlPort } = connection;
  return {
    status: 'ok',
    shell_port: shellPort,
    iopub_port: iopubPort,
    stdin_port: stdinPort,
    hb_port: heartbeatPort,
    control_port: controlPort
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
    throw new ConnectionFileError(path, 'does not hold a JSON object');
  }
  return value as Record<string, unknown>;
}
