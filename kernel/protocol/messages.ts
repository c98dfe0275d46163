/** Types of the Jupyter messaging protocol (version 5.6) that both kernel processes use. */

export const PROTOCOL_VERSION = '5.6';

export type JsonObject = Record<string, unknown>;

export interface MessageHeader {
  readonly msg_id: string;
  readonly session: string;
  readonly username: string;
  /** ISO 8601. */
  readonly date: string;
  readonly msg_type: string;
  readonly version: string;
  /** Null or absent for the main shell. */
  readonly subshell_id?: string | null;
}

/** A decoded message; `identities` is the ROUTER envelope. */
export interface JupyterMessage {
  readonly identities: readonly Uint8Array[];
  readonly header: MessageHeader;
  /** Empty if there is no parent. */
  readonly parent: MessageHeader | Record<string, never>;
  readonly metadata: JsonObject;
  readonly content: JsonObject;
  readonly buffers: readonly Uint8Array[];
}

export interface ErrorContent {
  readonly ename: string;
  readonly evalue: string;
  readonly traceback: readonly string[];
}

export type StreamName = 'stdout' | 'stderr';
export type CommMessageType = 'comm_open' | 'comm_msg' | 'comm_close';

export function isCommMessage(type: string): type is CommMessageType {
  return type === 'comm_open' || type === 'comm_msg' || type === 'comm_close';
}

/** Returns whether messages of the type are output of a cell. */
export function isOutput(type: string): boolean {
  return /^(?:stream|display_data|update_display_data|execute_result|error|clear_output)$/.test(type);
}
