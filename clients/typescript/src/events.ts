/** One event. `id` is what `lastEventId` takes. */
export interface ToolcribEvent {
  id: string;
  type: string;
  data: Record<string, any>;
}

/** Milliseconds without a byte after which a connection is lost. The service sends a heartbeat every 15 seconds. */
export const SILENCE = 45_000;
/** Milliseconds before the stream is opened again, unless the service says otherwise, and at most. */
const RETRY = 2_000;
const MAX_RETRY = 30_000;
/** Statuses of a service that is busy or starts, or of a proxy before it. */
export const TEMPORARY = [429, 502, 503, 504];

/** What outlives a connection: the position, and how long to wait before the next one. */
export class EventStream {
  lastEventId: string | undefined;
  retry = RETRY;
  wasOpen = false;
  #failures = 0;

  constructor(lastEventId: string | undefined) {
    this.lastEventId = lastEventId;
  }

  headers(): Record<string, string> {
    return { Accept: 'text/event-stream', ...(this.lastEventId ? { 'Last-Event-ID': this.lastEventId } : {}) };
  }

  /** Milliseconds until the next connection; twice as long after each that failed. */
  wait(wasConnected: boolean): number {
    this.#failures = wasConnected ? 0 : this.#failures + 1;
    return Math.min(this.retry * 2 ** Math.min(this.#failures, 10), MAX_RETRY);
  }
}

/** Reads the bytes of one connection. */
export class Connection {
  readonly #stream: EventStream;
  readonly #decoder = new TextDecoder();
  #rest = '';
  #id: string | undefined;
  #type = '';
  #data: string[] = [];

  constructor(stream: EventStream) {
    this.#stream = stream;
    this.#id = stream.lastEventId;
  }

  /** The events that end in this piece. */
  *read(piece: Uint8Array): Generator<ToolcribEvent> {
    const lines = (this.#rest + this.#decoder.decode(piece, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = this.#line(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (event) yield event;
    }
  }

  #line(line: string): ToolcribEvent | undefined {
    if (line) {
      const colon = line.indexOf(':');
      const [name, value] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
      this.#field(name, value);
      return undefined;
    }
    // The comments of the service have positions too, past events that the caller may not see.
    this.#stream.lastEventId = this.#id;
    const [type, data] = [this.#type, this.#data];
    this.#type = '';
    this.#data = [];
    return data.length > 0 ? { id: this.#id ?? '', type, data: JSON.parse(data.join('\n')) } : undefined;
  }

  #field(name: string, value: string): void {
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#type = value;
    else if (name === 'id') this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.#stream.retry = Number(value);
  }
}
