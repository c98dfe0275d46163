/** Tokens, with which a process opens an array of another. */

import { IpcError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';

/**
 * Names a shared array: the socket of the process that owns it, and a secret key. A plain JSON object. Every process of this user that has
 * it can open the array.
 */
export interface ShareToken {
  /** The version of the sharing protocol. */
  readonly stridelabShare: 1;
  /** The socket's name in the abstract namespace of UNIX sockets. */
  readonly socket: string;
  /** A secret of 32 hexadecimal digits. */
  readonly key: string;
}

const PREFIX = 'stridelab-share:1:';
const SOCKET = /^stridelab-[\w-]{1,80}$/;
const KEY = /^[0-9a-f]{32}$/;

export function makeToken(socket: string, key: string): ShareToken {
  return Object.freeze({ stridelabShare: 1, socket, key });
}

/** Returns the token as one word, for an argument or an environment variable. */
export function tokenText({ socket, key }: ShareToken): string {
  return `${PREFIX}${socket}:${key}`;
}

/** Parses a token from its text, its JSON or its object. @throws IpcError for other values */
export function parseToken(value: unknown): ShareToken {
  const { stridelabShare, socket, key } = fieldsOf(value);
  if (stridelabShare !== undefined && stridelabShare !== 1)
    throw new IpcError(`the token has version ${textOf(stridelabShare)} of the sharing protocol, expected 1`);
  if (typeof socket === 'string' && SOCKET.test(socket) && typeof key === 'string' && KEY.test(key))
    return makeToken(socket, key);
  throw new IpcError(
    `${textOf(value)} is not the token of a shared array: pass the token that \`share\` returned, unchanged`
  );
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) {
    const plain = (value as { toJSON?: unknown }).toJSON;
    return (typeof plain === 'function' ? plain.call(value) : value) as Readonly<Record<string, unknown>>;
  }
  if (typeof value !== 'string') return {};
  if (value.startsWith(PREFIX)) {
    const [socket, key] = value.slice(PREFIX.length).trim().split(':');
    return { socket, key };
  }
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
