import { screen, waitFor } from '@testing-library/react';
import type { components } from '@/api/schema.gen';
import { forgetAdded } from '@/features/device/add/added';
import { type deviceServer, paths } from './deviceServer';
import { ok, onDelete, onGet, onPost, refused } from './server';
import { device } from './telemetryServer';

type Schemas = components['schemas'];
type DeviceServer = ReturnType<typeof deviceServer>;

const pc = '/admin-api/client/pc/device';
export const addPaths = {
  offer: `${pc}/offer`,
  create: `${pc}/create`,
  remove: `${pc}/delete`,
  first: `${pc}/get/first-reading`,
  read: `${pc}/claim/read`,
  claim: `${pc}/claim`,
  import: `${pc}/import`,
};

export const mast: Schemas['OfferedProduct'] = {
  productId: 1,
  name: 'weather-mast',
  productName: 'Weather mast',
  properties: ['airTemperature', 'airHumidity'],
};
export const probe: Schemas['OfferedProduct'] = {
  productId: 3,
  name: 'soil-probe',
  productName: 'Soil probe',
  properties: ['soilMoisture'],
};

/** A device that the provider has put up for its label's code. */
interface Claimable {
  code: string;
  devEui?: string;
  ownerToken?: string;
  /** Made when it is claimed; absent: the box has one. */
  secret?: string;
}

const sameCode = (text: string) => text.toUpperCase().replaceAll(/[\s-]/g, '');
const unknownCode = () => refused(601, 'This code is not known, or was used already. Look at the label again');

/** Lets a tenant add devices, as the contract says. The state may be changed between calls. */
export function addServer(server: DeviceServer, change: Partial<Schemas['DeviceOffer']> = {}) {
  forgetAdded();
  const state = {
    offer: { used: 3, most: 50, products: [mast, probe], claims: true, ...change } as Schemas['DeviceOffer'],
    claimable: [
      { code: '7K3Q-9DMX-2B4F-7' },
      { code: '1111-2222-3333-4', devEui: '4242FFFFFFFFFFFF', ownerToken: '0102', secret: 'secret-of-the-label' },
    ] as Claimable[],
    first: { state: 'waiting', hints: [] } as Schemas['FirstReadingState'],
    /** How often the first reading was asked for. */
    firstAsked: 0,
  };
  const post = <B>(path: string, answer: (body: B) => Response) =>
    onPost(path, async ({ request }) => {
      const body = (await request.json()) as B;
      server.sent.push({ path, body });
      return (await server.answers.get(path)?.()) ?? answer(body);
    });
  const taken = ({ noteName = '', serial = '' }: { noteName?: string; serial?: string }) => {
    const byName = server.devices.find((known) => known.noteName === noteName);
    if (byName) {
      return refused(601, 'Remark name: a device has this name already', { deviceName: byName.deviceName });
    }
    const bySerial = server.devices.find((known) => serial !== '' && known.serial === serial);
    return bySerial && refused(601, 'Serial: a device has this serial already', { deviceName: bySerial.deviceName });
  };
  const add = (noteName: string, productName: string) => {
    const deviceName = `d-new${server.devices.length}`;
    const made = device({ deviceName, noteName, serial: '', productName, lastData: [], removable: true });
    server.devices = [...server.devices, { ...made, lastContact: undefined, onlineState: 0 }];
    return deviceName;
  };

  onGet(addPaths.offer, async () => (await server.answers.get(addPaths.offer)?.()) ?? ok(state.offer as never));
  onGet(addPaths.first, async () => {
    state.firstAsked += 1;
    return (await server.answers.get(addPaths.first)?.()) ?? ok(state.first as never);
  });
  post(addPaths.create, (body: Schemas['DeviceCreate']) => {
    const product = state.offer.products.find(({ productId }) => productId === body.productId);
    if (!product || state.offer.used >= state.offer.most) return refused(601, 'No more devices can be added');
    const conflict = taken(body);
    if (conflict) return conflict;
    state.offer = { ...state.offer, used: state.offer.used + 1 };
    const deviceName = add(body.noteName ?? '', product.productName);
    return ok({ deviceName, secret: body.short ? 'short-secret-of-20' : 'a-secret-of-32-letters-and-digits' });
  });
  onDelete(addPaths.remove, async ({ request }) => {
    const deviceName = new URL(request.url).searchParams.get('deviceName');
    server.sent.push({ path: addPaths.remove, body: { deviceName } });
    const other = await server.answers.get(addPaths.remove)?.();
    if (other) return other;
    server.devices = server.devices.filter((known) => known.deviceName !== deviceName);
    return ok(true);
  });
  post(addPaths.read, ({ text }: Schemas['ClaimRead']) => ok(readLabel(text) as never));
  post(addPaths.claim, (body: Schemas['DeviceClaim']) => {
    const label = readLabel(body.text);
    const found = state.claimable.find(({ code, devEui, ownerToken }) =>
      label.kind === 'code'
        ? sameCode(code) === sameCode(label.code ?? '')
        : devEui === label.devEui && ownerToken !== undefined && ownerToken === label.ownerToken,
    );
    if (!found) {
      return label.kind === 'code'
        ? unknownCode()
        : refused(601, 'The label alone is not enough: enter the claim code');
    }
    const conflict = taken(body);
    if (conflict) return conflict;
    state.claimable = state.claimable.filter((other) => other !== found);
    return ok({ deviceName: add(body.noteName ?? '', 'Soil probe'), secret: found.secret ?? null });
  });
  post(addPaths.import, ({ csv, dryRun }: Schemas['DeviceImport']) => {
    const { lines, errors } = readTable(csv, state.offer.products);
    if (errors.length > 0) return refused(601, 'The table has errors', { created: [], errors } as never);
    const created = lines.map(({ line, noteName, product }) => {
      if (dryRun) return { line, noteName };
      const deviceName = add(noteName, product);
      return { line, noteName, deviceName, secret: `secret-of-${deviceName}` };
    });
    return ok({ created, errors });
  });
  return state;
}

function readLabel(text: string): Schemas['ClaimText'] {
  const code = /(?:#|^)([\dA-Za-z\s-]+)$/.exec(text.trim())?.[1];
  if (text.startsWith('LW:D0:')) {
    const [, , joinEui, devEui, profile = '', ...more] = text.split(':');
    const token = more.find((part) => part.startsWith('O'))?.slice(1);
    const serial = more.find((part) => part.startsWith('S'))?.slice(1);
    const [vendor, model] = [profile.slice(0, 4), profile.slice(4)];
    return { kind: 'lorawan', joinEui, devEui, vendor, model, ownerToken: token, serial };
  }
  if (!code || sameCode(code).length !== 13) return { kind: 'unknown' };
  return { kind: 'code', code: sameCode(code).replace(/(.{4})(.{4})(.{4})(.)/, '$1-$2-$3-$4') };
}

function readTable(csv: string, products: readonly Schemas['OfferedProduct'][]) {
  const [head = '', ...rows] = csv.split(/\r?\n/).filter((row) => row !== '');
  const columns = head.split(',');
  const lines: { line: number; noteName: string; product: string }[] = [];
  const errors: Schemas['ImportError'][] = [];
  rows.forEach((row, i) => {
    const cells = row.split(',');
    const cell = (column: string) => cells[columns.indexOf(column)] ?? '';
    const product = products.find(({ name, productName }) => [name, productName].includes(cell('product')));
    if (cell('noteName') === '') errors.push({ line: i + 2, column: 'noteName', msg: 'A name is missing' });
    if (!product) errors.push({ line: i + 2, column: 'product', msg: 'There is no such product' });
    else lines.push({ line: i + 2, noteName: cell('noteName'), product: product.productName });
  });
  return { lines, errors };
}

/** Waits until the dialog shows a heading; in tests antd gives every dialog the same id. */
export async function findDialog(title: string): Promise<HTMLElement> {
  return waitFor(() => {
    const dialog = screen
      .getAllByText(title)
      .find((heading) => heading.closest('[role=dialog]'))
      ?.closest('[role=dialog]');
    if (!dialog) throw new Error(`no dialog ${title}`);
    return dialog as HTMLElement;
  });
}

export const sentTo = (server: DeviceServer, path: string) =>
  server.sent.filter((call) => call.path === path).map(({ body }) => body);

export { paths };
