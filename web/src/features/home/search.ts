export interface HomeSearch {
  /** The deviceName of the selected device. */
  device?: string;
  /** The identifier of the quantity that the map shows; `state`: none. */
  on?: string;
}

/** The router parses a text of digits alone as a number. */
function textParam(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The search parameters of the home page. */
export function homeSearch({ device, on }: Record<string, unknown>): HomeSearch {
  const [name, quantity] = [textParam(device), textParam(on)];
  return { ...(name === undefined ? {} : { device: name }), ...(quantity === undefined ? {} : { on: quantity }) };
}
