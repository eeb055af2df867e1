/** The search parameters of the data centre. */
export interface DataSearch {
  /** Ids of the chosen scenes, joined by commas; 0 is the default group. */
  scenes?: string;
  /**
   * Names of single devices that are chosen besides those of the scenes, joined by commas (names
   * contain no commas).
   */
  devices?: string;
  /** Names of devices that are excluded from the chosen scenes. */
  except?: string;
  state?: 'online' | 'offline';
  /** The device whose history is open; used together with `history`. */
  device?: string;
  history?: 1;
}

/** The router parses a list that is a single number as a number. */
function textParam(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function dataSearch({ scenes, devices, except, state, device, history }: Record<string, unknown>): DataSearch {
  const search: DataSearch = {};
  const known = {
    scenes: textParam(scenes),
    devices: textParam(devices),
    except: textParam(except),
    device: textParam(device),
  };
  for (const [name, value] of Object.entries(known)) {
    if (value !== undefined) search[name as keyof typeof known] = value;
  }
  if (state === 'online' || state === 'offline') search.state = state;
  if (known.device !== undefined && (history === 1 || history === '1')) search.history = 1;
  return search;
}
