import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useSession } from '@/lib/session/session';
import { addPaths, addServer, findDialog, sentTo } from '@/test/addServer';
import { openConsole } from '@/test/console';
import { deviceServer, openDevices } from '@/test/deviceServer';
import { elif } from '@/test/profileServer';
import { ok, onGet, refused } from '@/test/server';

let server: ReturnType<typeof deviceServer>;
const label = 'LW:D0:42FFFFFFFFFFFFFF:4242FFFFFFFFFFFF:42FFFF42:CCHECKSUM:O0102:SSERIAL:PPROPRIETARY';

beforeEach(() => {
  server = deviceServer();
  addServer(server);
});
afterEach(() => sessionStorage.clear());

const code = (dialog: HTMLElement) => within(dialog).getByRole('textbox', { name: /^Code on the label/ });
const name = (dialog: HTMLElement) => within(dialog).findByRole('textbox', { name: /^Remark name/ });
const press = (dialog: HTMLElement, button: string) => within(dialog).getByRole('button', { name: button });

async function openCode() {
  const opened = await openDevices(server, '/device?add=code');
  const dialog = await findDialog('Add a device');
  await within(dialog).findByRole('textbox', { name: /^Code on the label/ });
  return { ...opened, dialog };
}

async function claim(text: string) {
  const opened = await openCode();
  const { user, dialog } = opened;
  await user.type(code(dialog), text);
  await user.click(press(dialog, 'Continue'));
  await user.type(await name(dialog), 'Lower field');
  await user.click(press(dialog, 'Add device'));
  return opened;
}

describe('a device with a code', () => {
  it('is read, named and taken over; it knows its secret already', async () => {
    const { user, dialog } = await openCode();
    await user.type(code(dialog), '7k3q 9dmx 2b4f 7{Enter}');
    await user.type(await name(dialog), 'Lower field');
    expect(dialog).toHaveTextContent('Code7K3Q-9DMX-2B4F-7');
    expect(within(dialog).queryByRole('combobox', { name: /^Model/ })).toBeNull();
    await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Scene' }), 'North orchard');
    await user.click(press(dialog, 'Add device'));
    const connect = await findDialog('Connect “Lower field”');
    expect(connect).toHaveTextContent('The device knows its secret already: switch it on.');
    expect(connect).toHaveTextContent('Waiting for the first reading…');
    expect(within(connect).queryByRole('checkbox')).toBeNull();
    expect(sentTo(server, addPaths.claim)).toEqual([
      { text: '7k3q 9dmx 2b4f 7', noteName: 'Lower field', groupId: 1, latitude: null, longitude: null, short: false },
    ]);
    await user.click(press(connect, 'Done'));
    await waitFor(() => expect(screen.queryByText('Connect “Lower field”')).toBeNull());
  });

  it('is refused in words beside what is wrong', async () => {
    const { user, dialog } = await openCode();
    await user.click(press(dialog, 'Continue'));
    expect(code(dialog)).toHaveAccessibleDescription('Please enter the code');
    expect(code(dialog)).toHaveFocus();
    await user.type(code(dialog), 'hello');
    expect(code(dialog)).not.toBeInvalid();
    await user.click(press(dialog, 'Continue'));
    await waitFor(() => expect(code(dialog)).toHaveAccessibleDescription(/^This is neither a code of a label/));
    server.answers.set(addPaths.read, () => refused(601, 'A character of this code is mistyped'));
    await user.type(code(dialog), '!');
    await user.click(press(dialog, 'Continue'));
    await waitFor(() => expect(code(dialog)).toHaveAccessibleDescription('A character of this code is mistyped'));
  });

  it('that is unknown or spent keeps what was typed', async () => {
    const { user, dialog } = await claim('0000-0000-0000-0');
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('This code is not known, or was used already.');
    await user.click(press(dialog, 'Another code'));
    await user.type(code(dialog), '7K3Q9DMX2B4F7{Enter}');
    expect(await name(dialog)).toHaveValue('Lower field');
    await user.click(press(dialog, 'Add device'));
    await findDialog('Connect “Lower field”');
  });

  it('whose serial another device has leads to that device', async () => {
    server.answers.set(addPaths.claim, () =>
      refused(601, 'Serial: another device has this serial already', { deviceName: 'WS-1' }),
    );
    const { user, dialog, router } = await claim('7K3Q-9DMX-2B4F-7');
    const note = await within(dialog).findByRole('alert');
    expect(note).toHaveTextContent('Another device has this serial already');
    await user.click(within(note).getByRole('button', { name: 'Open that device' }));
    await waitFor(() => expect(router.state.location.search).toEqual({ device: 'WS-1' }));
  });

  it('may have come through although no answer did', async () => {
    server.answers.set(addPaths.claim, () => HttpResponse.error());
    const { dialog } = await claim('7K3Q-9DMX-2B4F-7');
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('may have been added all the same');
  });
});

describe('the label of a LoRaWAN device', () => {
  it('shows what it is, and is enough if it holds the owner’s token', async () => {
    const { user, dialog } = await openCode();
    await user.type(code(dialog), `${label}{Enter}`);
    await user.type(await name(dialog), 'Lower field');
    expect(dialog).toHaveTextContent('LoRaWAN deviceDevEUI4242FFFFFFFFFFFFVendor42FFModelFF42SerialSERIAL');
    await user.click(press(dialog, 'Add device'));
    expect(await findDialog('Connect “Lower field”')).toHaveTextContent('secret-of-the-label');
    expect(sentTo(server, addPaths.claim)).toMatchObject([{ text: label }]);
  });

  it('otherwise leads to the code', async () => {
    const { user, dialog } = await claim(label.replace(':O0102', ''));
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('The label alone is not enough');
    await user.click(press(dialog, 'Enter the code on the label'));
    expect(code(dialog)).toHaveValue('');
    expect(code(dialog)).toHaveFocus();
  });
});

describe('the address of a label', () => {
  it('opens the dialog with the code, which leaves the address', async () => {
    const { router } = await openConsole('/claim#7K3Q-9DMX-2B4F-7');
    const dialog = await findDialog('Add a device');
    await waitFor(() => expect(dialog).toHaveTextContent('Code7K3Q-9DMX-2B4F-7'));
    expect(router.state.location.href).toBe('/device?add=code');
    expect(sessionStorage).toHaveLength(0);
    // Nothing was typed that a question would save.
    await userEvent.click(press(dialog, 'Cancel'));
    await waitFor(() => expect(router.state.location.href).toBe('/device'));
  });

  it('waits for a sign-in', async () => {
    const session = useSession.getState();
    act(() => useSession.setState({ session: null }));
    const { router } = await openConsole('/claim#7K3Q-9DMX-2B4F-7');
    expect(router.state.location.pathname).toBe('/signin');
    expect(router.state.location.href).not.toContain('7K3Q');
    act(() => useSession.setState(session));
    const dialog = await findDialog('Add a device');
    await waitFor(() => expect(dialog).toHaveTextContent('Code7K3Q-9DMX-2B4F-7'));
  });

  it('tells an operator whom to ask', async () => {
    onGet('/app-api/member/user/get', () => ok({ ...elif, role: 'operator' }));
    await openConsole('/claim#7K3Q-9DMX-2B4F-7');
    const dialog = await findDialog('Add a device');
    await waitFor(() => expect(dialog).toHaveTextContent('Only owners add devices'));
    expect(sentTo(server, addPaths.read)).toEqual([]);
  });

  it('says that the provider does not offer it', async () => {
    addServer(server, { claims: false });
    await openConsole('/claim#7K3Q-9DMX-2B4F-7');
    const dialog = await findDialog('Add a device');
    await waitFor(() => expect(dialog).toHaveTextContent('This is not offered here'));
    await userEvent.click(within(dialog).getByRole('radio', { name: 'New' }));
    expect(await name(dialog)).toHaveFocus();
  });
});

describe('the camera', () => {
  const tracks = [{ stop: vi.fn() }];
  let seen: { rawValue: string }[] = [];

  function withCamera(open: () => Promise<unknown>) {
    seen = [];
    for (const { stop } of tracks) stop.mockClear();
    vi.stubGlobal('isSecureContext', true);
    const detector = Object.assign(
      vi.fn(function detect() {
        return { detect: async () => seen };
      }),
      { getSupportedFormats: async () => ['qr_code'] },
    );
    vi.stubGlobal('BarcodeDetector', detector);
    vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue();
    Object.defineProperty(navigator, 'mediaDevices', {
      configurable: true,
      value: { enumerateDevices: async () => [{ kind: 'videoinput' }], getUserMedia: vi.fn(open) },
    });
  }
  afterEach(() => {
    vi.unstubAllGlobals();
    Reflect.deleteProperty(navigator, 'mediaDevices');
  });

  it('reads the code and is switched off', async () => {
    withCamera(async () => ({ getTracks: () => tracks }));
    const { user, dialog } = await openCode();
    await user.click(await within(dialog).findByRole('button', { name: 'Scan' }));
    expect(dialog).toHaveTextContent('Hold the QR code in front of the camera.');
    seen = [{ rawValue: 'https://farm.example/claim#7K3Q-9DMX-2B4F-7' }];
    await waitFor(() => expect(dialog).toHaveTextContent('Code7K3Q-9DMX-2B4F-7'));
    expect(tracks[0]?.stop).toHaveBeenCalled();
  });

  it('is switched off with the dialog', async () => {
    withCamera(async () => ({ getTracks: () => tracks }));
    const { user, dialog } = await openCode();
    await user.click(await within(dialog).findByRole('button', { name: 'Scan' }));
    await waitFor(() => expect(navigator.mediaDevices.getUserMedia).toHaveBeenCalled());
    await user.click(press(dialog, 'Cancel'));
    await waitFor(() => expect(tracks[0]?.stop).toHaveBeenCalled());
  });

  it('that is not allowed leaves the field', async () => {
    withCamera(() => Promise.reject(Object.assign(new Error('no'), { name: 'NotAllowedError' })));
    const { user, dialog } = await openCode();
    await user.click(await within(dialog).findByRole('button', { name: 'Scan' }));
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('The browser may not use the camera.');
    expect(code(dialog)).toBeVisible();
  });

  it('is not offered where the browser reads no codes', async () => {
    const { dialog } = await openCode();
    expect(within(dialog).queryByRole('button', { name: 'Scan' })).toBeNull();
  });
});
