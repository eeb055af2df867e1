export const dataViews = ['cards', 'table'] as const;
export type ReadingsView = (typeof dataViews)[number];

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
  /** How the readings are shown; without it as the user chose last, at first as cards. */
  view?: ReadingsView;
  /** Of the table: the property by whose latest value its rows are ordered. */
  sort?: string;
  /** The highest value first. */
  down?: 1;
  /** Of the table: its rows in one list, not by scene. */
  flat?: 1;
  /** The device whose history is open; used together with `history`. */
  device?: string;
  history?: 1;
}

/** The router parses a list that is a single number as a number. */
function textParam(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const isOn = (value: unknown) => value === 1 || value === '1';

export function dataSearch(given: Record<string, unknown>): DataSearch {
  const { scenes, devices, except, state, device, history, sort } = given;
  const search: DataSearch = {};
  const known = {
    scenes: textParam(scenes),
    devices: textParam(devices),
    except: textParam(except),
    device: textParam(device),
    sort: textParam(sort),
  };
  for (const [name, value] of Object.entries(known)) {
    if (value !== undefined) search[name as keyof typeof known] = value;
  }
  if (state === 'online' || state === 'offline') search.state = state;
  const view = dataViews.find((known) => known === given.view);
  if (view) search.view = view;
  if (known.sort !== undefined && isOn(given.down)) search.down = 1;
  if (isOn(given.flat)) search.flat = 1;
  if (known.device !== undefined && isOn(history)) search.history = 1;
  return search;
}
