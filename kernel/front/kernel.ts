/** The kernel as clients see it: one handler for each request type, and a busy and an idle status around each request. */

import { PROGRAM_ENDED } from '../../src/pictures/kit/live-messages.ts';
import { FOLLOW_CELL_REQUEST } from '../../src/notebook/cell-outputs.ts';
import type { FromExecutor, Outcome, Publication } from '../protocol/executor-messages.ts';
import {
  isCommMessage,
  isOutput,
  type CommMessageType,
  type ErrorContent,
  type JsonObject,
  type JupyterMessage,
  type MessageHeader
} from '../protocol/messages.ts';
import { CellOutputs } from './output/cell-outputs.ts';
import type { ExecutionJob } from './requests/execution-queue.ts';
import { executionJob, numberOf, textOf } from './requests/request-content.ts';
import { CommDeliveries } from './requests/comm-deliveries.ts';
import { DebuggerSupport } from './debugger/debugger-support.ts';
import { leftRunningText } from './executor/left-running-text.ts';
import { executorDied, executorReplaced, type ExecutorEnd } from './executor/executor-loss.ts';
import { ExecutorProcess } from './executor/executor-process.ts';
import { helpContent, helpRequest, type HelpRequest } from './requests/help-request.ts';
import { FlowControl } from './output/flow-control.ts';
import { History } from './history/history.ts';
import { InputRequests } from './requests/input-requests.ts';
import { kernelInfo } from './requests/kernel-info.ts';
import { OpenComms } from './output/open-comms.ts';
import { Publisher } from './output/publisher.ts';
import type { KernelSockets, RequestChannel } from './sockets/sockets.ts';
import { Shells, UnknownSubshellError } from './requests/shells.ts';
import { StreamGatherer } from './output/stream-gatherer.ts';
import { Settling } from './requests/settling.ts';
import { Usage } from './usage/usage.ts';
import { LanguageSupport } from './language/language-support.ts';
import { LiveMembers } from './executor/live-members.ts';
import { CellChecks } from './types/cell-checks.ts';
import { UserConfig } from './typescript/user-config.ts';

const IN_NATIVE_CODE =
  'The interrupt waits for a native call, which cannot be stopped, to return. ' +
  'To end it now, restart the kernel; the variables are then lost.\n';

/** Returns the content of the reply. */
type Handler = (content: JsonObject, header: MessageHeader) => object | Promise<object>;

type ExecutorHandler<Message> = (message: Message, buffers: readonly Uint8Array[]) => void;
type ExecutorHandlers = {
  readonly [Kind in FromExecutor['kind']]: ExecutorHandler<Extract<FromExecutor, { readonly kind: Kind }>>;
};

export class Kernel {
  readonly #sockets: KernelSockets;
  readonly #history = new History(text => void process.stderr.write(`${text}\n`));
  readonly #comms = new OpenComms();
  readonly #config = new UserConfig();
  readonly #live = new LiveMembers(
    question => this.#executor?.send(question),
    () => this.#shells.running.length > 0
  );
  readonly #language: LanguageSupport;
  readonly #checks: CellChecks;
  readonly #inputs: InputRequests;
  readonly #outputs: CellOutputs;
  readonly #publisher: Publisher;
  readonly #debugger: DebuggerSupport;
  readonly #settling = new Settling(
    work => {
      if (this.#executor === undefined) this.#settling.heard(0);
      else this.#executor.send({ kind: 'settle', work });
    },
    () => this.#checks.settled()
  );
  readonly #usage = new Usage(() => this.#executor?.send({ kind: 'device-usage' }));
  readonly #shells: Shells;
  readonly #streams: StreamGatherer;
  readonly #flow = new FlowControl(paused => this.#executor?.pauseOutput(paused));
  readonly #deliveries = new CommDeliveries(() => this.#executor?.unsent ?? 0);
  readonly #ended: (code: number) => void;
  #executor: ExecutorProcess | undefined;
  /** Whether the executor was used: one that ended unused, soon after its start, would end again. */
  #executorWasUsed = false;
  #heapLimit: number | undefined;
  #variables = 0;
  /** Label with the number of the latest cell: `Cell [3]`. */
  #latestLabel: string | undefined;
  #ending = false;

  readonly #handlers: Readonly<Record<string, Handler>> = {
    kernel_info_request: () => kernelInfo(this.#outputs.until),
    connect_request: () => ({ status: 'ok', ...this.#sockets.ports }),
    history_request: async content => ({ status: 'ok', history: await this.#history.query(content) }),
    comm_info_request: content => ({ status: 'ok', comms: this.#comms.info(content['target_name']) }),
    is_complete_request: content => this.#language.isComplete(textOf(content['code'])),
    complete_request: content =>
      this.#language.complete(textOf(content['code']), numberOf(content['cursor_pos'])),
    inspect_request: content =>
      this.#language.inspect(
        textOf(content['code']),
        numberOf(content['cursor_pos']),
        numberOf(content['detail_level'])
      ),
    interrupt_request: () => {
      this.interrupt();
      return { status: 'ok' };
    },
    debug_request: (content, header) => this.#debugger.request(content, header),
    usage_request: () => this.#usage.content(),
    cell_outputs_request: () => {
      this.#streams.flush();
      return this.#outputs.content();
    },
    settle_request: content => this.#settling.settle(content['work'] === true),
    create_subshell_request: () => ({ status: 'ok', subshell_id: this.#shells.create() }),
    delete_subshell_request: content => {
      this.#shells.delete(textOf(content['subshell_id']));
      return { status: 'ok' };
    },
    list_subshell_request: () => ({ status: 'ok', subshell_id: this.#shells.list() })
  };

  readonly #executorHandlers: ExecutorHandlers = {
    ready: ({ heapLimit }) => void (this.#heapLimit = heapLimit),
    compiled: ({ id, file }) => void this.#compiled(id, file),
    'kernel-compiled': ({ id, file, origins }) =>
      void this.#debugger.adapter?.compiledKernel(id, file, origins),
    stream: ({ cell, name }, [bytes]) => this.#streams.appendBytes(cell, name, bytes!),
    publish: (message, buffers) => this.#relay(message, buffers),
    ask: message => this.#inputs.ask(message),
    'device-used': message => this.#usage.heard(message),
    'device-usage': message => this.#usage.heard(message),
    executed: ({ id, outcome, payload, variables }) => {
      this.#variables = variables;
      void this.#shells.finish(id, outcome, payload);
    },
    settled: ({ errors }) => {
      this.#streams.flush();
      this.#settling.heard(errors);
    },
    handled: ({ id }) => this.#handled(id),
    members: message => this.#live.answered(message),
    python: message => this.#live.answered(message),
    exiting: () => undefined
  };

  /** Constructs the kernel. `ended` is called once after a shutdown, with the exit code. */
  constructor(sockets: KernelSockets, ended: (code: number) => void) {
    this.#sockets = sockets;
    this.#ended = ended;
    sockets.backlogged = bytes => (this.#flow.backlog = bytes);
    this.#streams = new StreamGatherer((cell, type, content) =>
      this.#publisher.publishFor(cell, type, content)
    );
    this.#debugger = new DebuggerSupport({
      openPipe: () => this.#executorForRequest().openDebugger(),
      publishEvent: (content, parent) => {
        this.#streams.flush();
        sockets.publish({ type: 'debug_event', content, parent });
      },
      interrupt: () => this.interrupt()
    });
    const tell = (cell: string, line: string): void => this.#streams.append(cell, 'stderr', `${line}\n`);
    this.#language = new LanguageSupport(this.#config, this.#live);
    this.#checks = new CellChecks(this.#language, this.#config, {
      tell,
      publish: (cell, type, content) => {
        this.#streams.flush();
        this.#publisher.publishFor(cell, type, content);
      }
    });
    this.#outputs = new CellOutputs({
      reply: (request, content) => sockets.reply('control', request, 'follow_cell_reply', content),
      idle: request => this.#idle(request)
    });
    this.#publisher = new Publisher(sockets, this.#flow, this.#outputs);
    this.#inputs = new InputRequests({
      requestOf: cell => this.#requestToAskFor(cell),
      isNotebook: request => this.#outputs.has(request.header.msg_id),
      send: (request, id, content, unreachable) => {
        this.#streams.flush();
        sockets.ask(request, id, content, unreachable);
      },
      answer: (answer, blocking) => {
        if (blocking) this.#executor?.answerBlocked(answer);
        else this.#executor?.send(answer);
      }
    });
    this.#shells = new Shells(
      {
        busy: ({ message }) => this.#busy(message),
        idle: ({ message }) => {
          this.#idle(message);
          this.#outputs.ended(message.header.msg_id);
        },
        publish: ({ message }, type, content, metadata = {}) =>
          this.#publisher.publish({ type, content, parent: message.header, metadata }),
        reply: ({ channel, message }, content) => {
          sockets.reply(channel, message, 'execute_reply', content);
          this.#inputs.requestEnded(message.header.msg_id);
          this.#outputs.replied(message.header.msg_id, content);
        },
        run: (job, count) => this.#run(job, count),
        interrupt: () => {
          this.#checks.interrupt();
          this.#debugger.adapter?.interrupted();
          this.#executor?.interrupt();
        },
        outputPublished: async () => {
          await this.#executor?.nativeOutputDrained();
          this.#streams.flush();
        },
        executed: (job, outcome) => this.#executed(job, outcome)
      },
      this.#history
    );
  }

  /** Begins to run cells in `executor`, and in others after it. */
  start(executor: ExecutorProcess): void {
    this.#followExecutor(executor);
    this.#checks.start();
  }

  /**
   * Handles a request. An error in handling is reported on stderr, and the message still ends with its idle status.
   * Returns a promise if the channel's next request must wait for it.
   */
  receive(channel: RequestChannel, message: JupyterMessage): Promise<void> | undefined {
    try {
      this.#dispatch(channel, message);
    } catch (error) {
      const { msg_type, msg_id } = message.header;
      process.stderr.write(`Cannot handle ${msg_type} ${msg_id}: ${(error as Error).message}\n`);
      this.#deliveries.handled(msg_id);
      this.#idle(message);
    }
    // Interrupts arrive on the control channel.
    return channel === 'shell' ? this.#deliveries.paused : undefined;
  }

  #dispatch(channel: RequestChannel, message: JupyterMessage): void {
    const type = message.header.msg_type;
    if (isCommMessage(type)) this.#deliverComm(type, message);
    else if (type === 'shutdown_request') void this.shutdown({ channel, message });
    else if (type === 'execute_request') this.#execute(channel, message);
    else if (type === FOLLOW_CELL_REQUEST) this.#follow(message);
    else void this.#answer(channel, message, this.#handlers[type]);
  }

  receiveInput(message: JupyterMessage): void {
    if (message.header.msg_type === 'input_reply') this.#inputs.reply(message);
  }

  interrupt(): void {
    this.#flow.letThrough();
    this.#inputs.forget();
    this.#shells.interrupt();
  }

  /** Shuts the kernel down; replies to `request` if a client asked for it. */
  async shutdown(request?: { channel: RequestChannel; message: JupyterMessage }): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    if (request !== undefined) this.#busy(request.message);
    await this.#debugger.adapter?.terminate();
    await Promise.all([
      this.#executor?.stop(this.#shells.running.length > 0),
      this.#language.stop(),
      this.#history.close()
    ]);
    this.#streams.flush();
    if (request !== undefined) {
      const { channel, message } = request;
      const content = { status: 'ok', restart: message.content['restart'] === true };
      this.#sockets.reply(channel, message, 'shutdown_reply', content);
      this.#sockets.publish({ type: 'shutdown_reply', content, parent: message.header });
      this.#idle(message);
    }
    await this.#sockets.close();
    this.#ended(0);
  }

  #execute(channel: RequestChannel, message: JupyterMessage): void {
    try {
      this.#shells.check(message);
      this.#outputs.add(message);
      this.#shells.add(executionJob(channel, message));
    } catch (error) {
      if (!(error instanceof UnknownSubshellError)) throw error;
      void this.#answer(channel, message, () => Promise.reject(error));
    }
  }

  #follow(message: JupyterMessage): void {
    if (this.#outputs.follow(message)) this.#inputs.follow(message);
  }

  /** Handles a request and replies. Requests of an unknown type have no handler and get no reply. */
  async #answer(
    channel: RequestChannel,
    message: JupyterMessage,
    handler: Handler | undefined
  ): Promise<void> {
    const type = message.header.msg_type;
    this.#busy(message);
    if (handler === undefined) process.stderr.write(`Ignored a message of the unknown type "${type}"\n`);
    else {
      const content = await this.#contentOf(channel, message, handler);
      this.#sockets.reply(channel, message, type.replace(/_request$/, '_reply'), content);
    }
    this.#idle(message);
  }

  async #contentOf(channel: RequestChannel, message: JupyterMessage, handler: Handler): Promise<object> {
    try {
      if (channel === 'shell') this.#shells.check(message);
      return await handler(message.content, message.header);
    } catch (error) {
      const { name, message: evalue, stack } = error as Error;
      return { status: 'error', ename: name, evalue, traceback: (stack ?? '').split('\n') };
    }
  }

  #busy(message: JupyterMessage): void {
    this.#streams.flush();
    this.#sockets.publishStatus('busy', message.header);
  }

  #idle(message: JupyterMessage): void {
    this.#flow.idle();
    this.#sockets.publishStatus('idle', message.header);
    // Clients take the last status for the kernel's, so a cell that is still running publishes busy again.
    const [running] = this.#shells.running;
    if (running !== undefined) this.#sockets.publishStatus('busy', running.message.header);
  }

  #run(job: ExecutionJob, count: number | null): void {
    const { header } = job.message;
    this.#publisher.addCell(header, job.silent);
    this.#latestLabel = count === null ? this.#latestLabel : `Cell [${count}]`;
    const { code, origin, silent, expressions } = job;
    const id = header.msg_id;
    const help = helpRequest(code);
    if (help !== undefined) return void this.#help(id, help);
    this.#checks.run(
      { id, count, code, origin, silent },
      {
        execute: () => {
          const of = origin === undefined ? {} : { origin };
          const request = { kind: 'execute', id, count, code, ...of, silent, expressions } as const;
          const attached = this.#debugger.adapter?.attached;
          this.#executorForRequest().send(attached === true ? { ...request, debug: true } : request);
        },
        refuse: refusal => void this.#shells.finish(id, refusal)
      }
    );
  }

  async #help(id: string, { name, detail }: HelpRequest): Promise<void> {
    const { payload, message } = await helpContent(name, () =>
      this.#language.inspect(name, [...name].length, detail)
    );
    if (message !== undefined) this.#streams.append(id, 'stderr', message);
    await this.#shells.finish(id, { status: 'ok', expressions: {} }, payload);
  }

  /** Returns the request that asks: only running cells can receive an answer, also for code of an earlier cell or a widget. */
  #requestToAskFor(cell: string): JupyterMessage | undefined {
    const running = this.#shells.running;
    return (running.find(({ message }) => message.header.msg_id === cell) ?? running[0])?.message;
  }

  #executed({ message }: ExecutionJob, outcome: Outcome): void {
    if (outcome.status === 'error' && outcome.restart === true) return this.#replaceExecutor();
    this.#checks.ended(message.header.msg_id, outcome);
  }

  #deliverComm(type: CommMessageType, message: JupyterMessage): void {
    const { header, content, metadata, buffers } = message;
    this.#busy(message);
    this.#publisher.addCommMessage(header);
    this.#comms.note(type, content);
    this.#executorForRequest().send({ kind: 'comm', id: header.msg_id, type, content, metadata }, buffers);
    this.#deliveries.add(message);
  }

  #handled(id: string): void {
    const message = this.#deliveries.handled(id);
    if (message === undefined) return;
    this.#streams.flush();
    this.#idle(message);
  }

  /** Returns the executor; one that ended unused is replaced only here, when it is needed. */
  #executorForRequest(): ExecutorProcess {
    const executor = this.#executor ?? this.#followExecutor();
    this.#executorWasUsed = true;
    return executor;
  }

  #followExecutor(executor = new ExecutorProcess()): ExecutorProcess {
    this.#executorWasUsed = false;
    this.#heapLimit = undefined;
    this.#variables = 0;
    this.#executor = executor;
    executor.follow({
      message: (message, buffers) => {
        const handle = this.#executorHandlers[message.kind] as ExecutorHandler<FromExecutor>;
        handle(message, buffers);
      },
      nativeOutput: (name, text) => this.#streams.append(this.#publisher.latestCell, name, text),
      inNativeCode: () => this.#streams.append(this.#publisher.latestCell, 'stderr', IN_NATIVE_CODE),
      leftRunning: notice =>
        this.#streams.append(this.#publisher.latestCell, 'stderr', leftRunningText(notice)),
      died: end => this.#executorDied(end)
    });
    this.#debugger.adapter?.executorStarted();
    return executor;
  }

  async #compiled(id: string, file: string): Promise<void> {
    const job = this.#shells.running.find(({ message }) => message.header.msg_id === id);
    if (job !== undefined) await this.#debugger.adapter?.compiled(job.code, file);
    this.#executor?.send({ kind: 'run', id });
  }

  #relay({ cell, type, content, metadata }: Publication, buffers: readonly Uint8Array[]): void {
    if (isOutput(type)) this.#streams.flushBefore(cell, type);
    else this.#streams.flush();
    if (isCommMessage(type)) this.#comms.note(type, content);
    if (type === 'execute_result') this.#noteResult(content);
    this.#publisher.publishFor(cell, type, content, metadata, buffers);
  }

  #noteResult(content: JsonObject): void {
    const text = (content['data'] as JsonObject | undefined)?.['text/plain'];
    const line = content['execution_count'];
    if (typeof text === 'string' && typeof line === 'number') this.#history.setOutput(line, text);
  }

  /** Discards all state of the executor: comms, requests, names of cells. */
  #forgetExecutor(): void {
    this.#executor = undefined;
    this.#debugger.adapter?.executorEnded();
    this.#inputs.forget();
    this.#usage.forgetDevices();
    this.#settling.heard(0);
    for (const id of this.#comms.clear())
      this.#publisher.publishFor('', 'comm_close', { comm_id: id, data: PROGRAM_ENDED });
    for (const id of this.#deliveries.ids()) this.#handled(id);
    this.#live.reset();
    this.#checks.reset();
  }

  #replaceExecutor(): void {
    void this.#executor?.stop(false);
    this.#forgetExecutor();
    this.#followExecutor();
    // The cell that requested it is already ending; this ends those of other shells.
    this.#failRunning(executorReplaced());
  }

  #executorDied(end: ExecutorEnd): void {
    const started = this.#heapLimit !== undefined;
    const replaced = started && this.#executorWasUsed;
    const error = executorDied(end, {
      cell: this.#latestLabel,
      variables: this.#variables,
      widgets: this.#comms.count,
      replaced,
      heapLimitMiB: started ? Math.round(this.#heapLimit! / 2 ** 20) : undefined
    });
    this.#forgetExecutor();
    if (replaced) this.#followExecutor();
    if (this.#shells.running.length === 0)
      this.#streams.append(this.#publisher.latestCell, 'stderr', `${error.evalue}\n`);
    this.#failRunning(error);
  }

  #failRunning(error: ErrorContent): void {
    for (const { message } of this.#shells.running)
      void this.#shells.finish(message.header.msg_id, { status: 'error', ...error });
  }
}
