import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { deviceServer, openDevices } from '@/test/deviceServer';

describe('on the device page', () => {
  const changes = (server: ReturnType<typeof deviceServer>, of: string[]) =>
    server.live.newest()?.write(`event: change\ndata: ${JSON.stringify({ of })}\n\n`);
  const rename = (server: ReturnType<typeof deviceServer>, noteName: string) => {
    server.devices = server.devices.map((device) => (device.deviceName === 'WS-1' ? { ...device, noteName } : device));
  };

  it("shows another user's change", async () => {
    const server = deviceServer();
    await openDevices(server);
    const asked = server.asked.length;
    rename(server, 'Tall mast');
    changes(server, ['device']);
    expect(await screen.findByRole('link', { name: 'Tall mast' })).toBeVisible();
    expect(server.asked).toHaveLength(asked + 1);
    server.scenes = server.scenes.map((scene) => ({ ...scene, groupName: `${scene.groupName} 2` }));
    changes(server, ['scene', 'weather']);
    expect(await screen.findByText('Old nursery 2')).toBeVisible();
  });

  it('does not disturb a user who is typing', async () => {
    const server = deviceServer();
    const { user } = await openDevices(server, '/device?device=WS-1&edit=true');
    const field = await screen.findByRole('textbox', { name: 'Remark name' });
    await user.clear(field);
    await user.type(field, 'Half a na');
    const asked = server.asked.length;
    rename(server, 'Tall mast');
    changes(server, ['device', 'scene']);
    await waitFor(() => expect(server.asked.length).toBeGreaterThan(asked));
    expect((await screen.findAllByText(/Tall mast/)).length).toBeGreaterThan(0);
    expect(screen.getByRole('textbox', { name: 'Remark name' })).toHaveValue('Half a na');
  });
});
