import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { saveFile } from '@/lib/http/download';
import { addPaths, addServer, findDialog, mast, probe, sentTo } from '@/test/addServer';
import { deviceServer, openDevices } from '@/test/deviceServer';
import { waitForDialogClosed } from '@/test/profileServer';
import { refused } from '@/test/server';
import { useAdded } from './added';

vi.mock('@/lib/http/download', async (original) => ({
  ...(await original<typeof import('@/lib/http/download')>()),
  saveFile: vi.fn(),
}));

let server: ReturnType<typeof deviceServer>;

beforeEach(() => {
  server = deviceServer();
  addServer(server, { products: [mast, probe] });
  vi.mocked(saveFile).mockClear();
});

const lines = (dialog: HTMLElement) => within(dialog).getByRole('textbox', { name: 'Or paste the lines' });
const press = (dialog: HTMLElement, button: string) => within(dialog).getByRole('button', { name: button });
const file = (content: BlobPart) => new File([content], 'devices.csv', { type: 'text/csv' });
const saved = async () => {
  const [blob, name] = vi.mocked(saveFile).mock.calls[0] ?? [];
  return { bytes: new Uint8Array((await blob?.arrayBuffer()) ?? []), name };
};
const good = 'noteName,product\nLower field,Soil probe\nUpper field,soil-probe\n';

async function openTable() {
  const opened = await openDevices(server, '/device?add=table');
  const dialog = await findDialog('Add a device');
  await within(dialog).findByRole('textbox', { name: 'Or paste the lines' });
  return { ...opened, dialog };
}

const choose = async (dialog: HTMLElement, user: Awaited<ReturnType<typeof openTable>>['user'], content: BlobPart) =>
  user.upload(within(dialog).getByLabelText(/^Choose a file/), file(content));

describe('a table', () => {
  it('is checked as soon as its file is chosen, then added, and its secrets are shown once', async () => {
    const { user, dialog, router } = await openTable();
    await choose(dialog, user, `\uFEFF${good}`);
    await waitFor(() => expect(dialog).toHaveTextContent('2 devices would be added.'));
    await user.click(press(dialog, 'Add 2 devices'));
    const done = await findDialog('2 devices are added');
    expect(sentTo(server, addPaths.import)).toEqual([
      { csv: good, dryRun: true },
      { csv: good, dryRun: false },
    ]);
    expect(within(done).getByRole('row', { name: 'Lower field d-new3 secret-of-d-new3' })).toBeVisible();
    await user.click(press(done, 'Download as CSV'));
    const { bytes, name } = await saved();
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(new TextDecoder().decode(bytes)).toBe(
      'noteName,deviceName,secret\r\nLower field,d-new3,secret-of-d-new3\r\nUpper field,d-new4,secret-of-d-new4\r\n',
    );
    expect(name).toMatch(/^devices-\d{4}-\d\d-\d\d\.csv$/);
    await user.click(press(done, 'Close'));
    expect(within(done).getByRole('alert')).toHaveTextContent('Tick this first: the secrets are never shown again');
    await user.click(within(done).getByRole('checkbox', { name: 'I have stored the secrets' }));
    await user.click(press(done, 'Done'));
    await waitForDialogClosed();
    expect(useAdded.getState().added).toBeNull();
    expect(router.state.location.search).toEqual({});
    expect(document.body.innerHTML).not.toContain('secret-of-');
    expect(await screen.findByText('Upper field')).toBeVisible();
  });

  it('with errors names their lines and columns, and is mended in place', async () => {
    const { user, dialog } = await openTable();
    await user.click(lines(dialog));
    await user.paste('noteName,product\nLower field,Soil probe\nUpper field,Soil prob\n');
    await user.click(press(dialog, 'Check'));
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('1 problem. Correct it and check again');
    expect(within(dialog).getByRole('row', { name: '3 product There is no such product' })).toBeVisible();
    await user.type(lines(dialog), 'x');
    expect(within(dialog).queryByRole('alert')).toBeNull();
    await user.clear(lines(dialog));
    await user.paste(good);
    await user.click(press(dialog, 'Check'));
    expect(await within(dialog).findByRole('button', { name: 'Add 2 devices' })).toBeVisible();
    await user.type(lines(dialog), ' ');
    expect(press(dialog, 'Check')).toBeVisible();
    expect(useAdded.getState().added).toBeNull();
  });

  it('that was good may meet an error when it is added', async () => {
    const { user, dialog } = await openTable();
    await choose(dialog, user, good);
    const add = await within(dialog).findByRole('button', { name: 'Add 2 devices' });
    server.answers.set(addPaths.import, () =>
      refused(601, 'The table has errors', {
        created: [],
        errors: [{ line: 2, column: '', msg: 'This name is taken' }],
      }),
    );
    await user.click(add);
    expect(await within(dialog).findByRole('row', { name: '2 whole line This name is taken' })).toBeVisible();
    expect(press(dialog, 'Check')).toBeVisible();
  });

  it('is refused as a whole in the server’s words', async () => {
    server.answers.set(addPaths.import, () => refused(601, 'Only 1 more device can be added'));
    const { user, dialog } = await openTable();
    await choose(dialog, user, good);
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('Only 1 more device can be added');
  });

  it('says what to do if the answer is lost', async () => {
    const { user, dialog } = await openTable();
    await choose(dialog, user, good);
    const add = await within(dialog).findByRole('button', { name: 'Add 2 devices' });
    server.answers.set(addPaths.import, () => HttpResponse.error());
    await user.click(add);
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('Look in the list before you try again');
  });

  it('must be text in UTF-8, and is not sent otherwise', async () => {
    const { user, dialog } = await openTable();
    await user.click(press(dialog, 'Check'));
    expect(lines(dialog)).toHaveAccessibleDescription('Please choose a file or paste lines');
    // As a Turkish spreadsheet writes "ş" unless told otherwise.
    await choose(dialog, user, new Uint8Array([0x61, 0xfe, 0x0a]));
    await waitFor(() => expect(lines(dialog)).toHaveAccessibleDescription(/save it as “CSV UTF-8”/));
    expect(sentTo(server, addPaths.import)).toEqual([]);
  });

  it('has a template with the models that may be added', async () => {
    const { user, dialog } = await openTable();
    await user.click(press(dialog, 'Download a template'));
    expect(new TextDecoder().decode((await saved()).bytes)).toBe(
      'noteName,product,serial,scene,longitude,latitude\r\n,weather-mast,,,,\r\n,soil-probe,,,,\r\n',
    );
  });
});
