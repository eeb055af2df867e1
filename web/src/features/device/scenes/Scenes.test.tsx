import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { deviceServer, openDevices, paths, scene } from '@/test/deviceServer';
import { toasts, waitForDialogClosed } from '@/test/profileServer';
import { refused } from '@/test/server';
import { checkScene } from './rules';

let server: ReturnType<typeof deviceServer>;

const list = () => within(screen.getByRole('region', { name: 'Scenes' })).getByRole('list');
const scenes = () =>
  within(list())
    .getAllByRole('listitem')
    .map((item) => item.textContent);
const sent = (path: string) => server.sent.filter((call) => call.path === path).map(({ body }) => body);
const dialog = async (name: string) => (await screen.findByText(name)).closest('[role=dialog]') as HTMLElement;

beforeEach(() => {
  server = deviceServer();
});

describe('the rules', () => {
  it('require a name of at most 64 characters and a status', () => {
    expect(checkScene({ name: ' ', status: null })).toEqual({
      name: 'scene.nameRequired',
      status: 'scene.statusRequired',
    });
    expect(checkScene({ name: 'x'.repeat(65), status: 1 })).toEqual({ name: 'scene.nameLength' });
    expect(checkScene({ name: ` ${'🌱'.repeat(64)} `, status: 2 })).toEqual({});
  });
});

describe('the list', () => {
  it('contains all devices, the default group and then the scenes, each with its count', async () => {
    await openDevices(server);
    expect(scenes()).toEqual([
      'All devices 33 devices',
      'Default group 11 device',
      'North orchard 22 devices',
      'Old nursery Forbidden 00 devices',
    ]);
    expect(screen.getByRole('button', { name: /^All devices/ })).toHaveAttribute('aria-current', 'true');
    expect(screen.queryByRole('button', { name: 'Delete scene: Default group' })).toBeNull();
  });

  it('is searched on the server and says that nothing matches', async () => {
    const { user } = await openDevices(server);
    const field = screen.getByRole('textbox', { name: 'Scene name' });
    await user.type(field, 'NURSERY');
    await waitFor(() => expect(scenes()).toEqual(['Old nursery Forbidden 00 devices']));
    await user.type(field, 'zz');
    expect(await screen.findByText('No scene is called “NURSERYzz”')).toBeVisible();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(scenes()).toHaveLength(4));
  });

  it('loads a hundred at a time', async () => {
    server.scenes = Array.from({ length: 130 }, (_, i) => scene(i + 1, `Scene ${i + 1}`));
    const { user } = await openDevices(server);
    expect(scenes()).toHaveLength(102);
    await user.click(screen.getByRole('button', { name: 'Show more scenes' }));
    await waitFor(() => expect(scenes()).toHaveLength(132));
    expect(screen.queryByRole('button', { name: 'Show more scenes' })).toBeNull();
  });

  it('shows an error if it cannot be fetched, and retries', async () => {
    server.answers.set(paths.scenes, () => refused(500, 'no'));
    const { user } = await openDevices(server);
    const note = (await screen.findByText('The scenes could not be fetched')).closest('[role=alert]') as HTMLElement;
    server.answers.clear();
    await user.click(within(note).getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(scenes()).toHaveLength(4));
  });
});

describe('a new scene', () => {
  it('requires a name, as soon as the user leaves the field, and a status', async () => {
    const { user } = await openDevices(server);
    await user.click(screen.getByRole('button', { name: 'New scene' }));
    const field = within(await dialog('Create scene')).getByRole('textbox');
    expect(screen.queryByText('Please enter a scene name')).toBeNull();
    await user.click(field);
    await user.tab();
    expect(field).toHaveAccessibleDescription('Please enter a scene name');
    expect(screen.queryByText('Please select the scene state')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Create scene' }));
    expect(screen.getByRole('radiogroup')).toHaveAccessibleDescription('Please select the scene state');
    expect(field).toHaveFocus();
    expect(server.sent).toEqual([]);
  });

  it('is added to the list and chosen', async () => {
    const { user, router } = await openDevices(server);
    await user.click(screen.getByRole('button', { name: 'New scene' }));
    await user.type(within(await dialog('Create scene')).getByRole('textbox'), '  South slope ');
    await user.click(screen.getByRole('radio', { name: /Usable/ }));
    await user.click(screen.getByRole('button', { name: 'Create scene' }));
    await waitFor(() => expect(sent(paths.create)).toEqual([{ groupName: 'South slope', groupStatus: 1 }]));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ scene: 9 }));
    expect(toasts()).toEqual([{ tone: 'success', title: 'Scene added' }]);
    await waitFor(() => expect(scenes()).toContain('South slope 00 devices'));
  });

  it('shows a refusal with the feature’s title, and the form stays open', async () => {
    server.answers.set(paths.create, () => refused(601, 'Scene name: there is one of this name already'));
    const { user } = await openDevices(server);
    await user.click(screen.getByRole('button', { name: 'New scene' }));
    const form = await dialog('Create scene');
    await user.type(within(form).getByRole('textbox'), 'North orchard');
    await user.click(screen.getByRole('radio', { name: /Forbidden/ }));
    await user.click(screen.getByRole('button', { name: 'Create scene' }));
    await waitFor(() =>
      expect(toasts()).toEqual([
        { tone: 'warning', title: 'Add failure', text: 'Scene name: there is one of this name already' },
      ]),
    );
    expect(within(form).getByRole('textbox')).toHaveValue('North orchard');
  });
});

describe('a scene', () => {
  it('is renamed', async () => {
    const { user } = await openDevices(server);
    await user.click(screen.getByRole('button', { name: 'Edit scene: North orchard' }));
    const field = within(await dialog('Edit scene')).getByRole('textbox');
    expect(screen.getByRole('radio', { name: /Usable/ })).toBeChecked();
    await user.clear(field);
    const before = server.asked.length;
    await user.type(field, 'Upper orchard{Enter}');
    await waitFor(() => expect(sent(paths.rename)).toEqual([{ id: 1, groupName: 'Upper orchard', groupStatus: 1 }]));
    await waitFor(() => expect(scenes()).toContain('Upper orchard 22 devices'));
    expect(toasts()).toEqual([{ tone: 'success', title: 'Scene saved' }]);
    // The rows of its devices name the scene.
    await waitFor(() => expect(server.asked.length).toBeGreaterThan(before));
  });

  const ask = async (address = '/device') => {
    const opened = await openDevices(server, address);
    await opened.user.click(screen.getByRole('button', { name: 'Delete scene: North orchard' }));
    return { ...opened, question: await dialog('Are you sure to delete the current scene?') };
  };

  it('is deleted after confirmation and no longer chosen', async () => {
    const { user, question, router } = await ask('/device?scene=1');
    expect(question).toHaveTextContent('Scene: North orchard');
    expect(question).toHaveTextContent('Its 2 devices move to the default group and keep their readings.');
    const before = server.asked.length;
    await user.click(within(question).getByRole('button', { name: 'Delete scene' }));
    await waitFor(() => expect(sent(paths.remove)).toEqual([{ id: '1' }]));
    await waitFor(() => expect(toasts()).toEqual([{ tone: 'success', title: 'Successfully delete' }]));
    await waitFor(() => expect(router.state.location.search.scene).toBeUndefined());
    await waitFor(() => expect(scenes()).not.toContain('North orchard 22 devices'));
    expect(server.asked.length).toBeGreaterThan(before);
  });

  it.each(['Cancel', 'Close'])('is kept after %s, with a message', async (button) => {
    const { user, question } = await ask();
    await user.click(within(question).getByRole('button', { name: button }));
    await waitForDialogClosed();
    expect(toasts()).toEqual([{ tone: 'info', title: 'Undelete' }]);
    expect(server.sent).toEqual([]);
    expect(scenes()).toContain('North orchard 22 devices');
  });

  it('is kept if the server refuses to delete it, with its reason', async () => {
    server.answers.set(paths.remove, () => refused(601, 'Not this one'));
    const { user, question } = await ask();
    await user.click(within(question).getByRole('button', { name: 'Delete scene' }));
    await waitFor(() =>
      expect(toasts()).toEqual([{ tone: 'warning', title: 'Could not delete', text: 'Not this one' }]),
    );
    expect(scenes()).toContain('North orchard 22 devices');
  });
});
