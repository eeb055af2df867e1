import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { gate } from '@/test/gate';
import { goOffline } from '@/test/network';
import { openProfile, profileServer, toasts, waitForDialogClosed } from '@/test/profileServer';
import { ok, onPost, refused } from '@/test/server';

const draw = vi.fn();
const png = (length = 100) => {
  const bytes = new Uint8Array(length);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return new File([bytes], 'me.png', { type: 'image/png' });
};

// jsdom neither decodes nor draws pictures.
beforeEach(() => {
  draw.mockReset();
  vi.stubGlobal('createImageBitmap', () => Promise.resolve({ width: 900, height: 600, close: () => undefined }));
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({
    clearRect: () => undefined,
    drawImage: draw,
  } as unknown as null);
  // It does not capture pointers outside of an element either.
  HTMLElement.prototype.setPointerCapture = () => undefined;
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const avatar = '/admin-api/client/pc/user/update-avatar';
const dialog = () => within(screen.getByRole('dialog'));
const input = () => screen.getByRole('dialog').querySelector('input[type=file]') as HTMLInputElement;
/** The drawn part of the picture: x, y, side. */
const drawn = () => draw.mock.lastCall?.slice(1, 4).map(Math.round);

async function open() {
  const server = profileServer();
  const opened = await openProfile();
  await opened.person.click(screen.getByRole('button', { name: 'Change picture' }));
  await screen.findByRole('dialog', { name: 'Profile picture' });
  return { server, ...opened };
}

const choose = (file: File) => fireEvent.change(input(), { target: { files: [file] } });

describe('a new picture', () => {
  it('can be chosen without a network and says that uploading needs one', async () => {
    const { person } = await open();
    const sent = vi.fn();
    onPost(avatar, () => {
      sent();
      return ok('/avatar/new');
    });
    const regain = goOffline();
    choose(png());
    const button = await dialog().findByRole('button', { name: 'Needs a connection' });
    expect(button).toBeDisabled();
    await person.click(button);
    expect(sent).not.toHaveBeenCalled();
    regain();
    await person.click(dialog().getByRole('button', { name: 'Use this picture' }));
    await waitFor(() => expect(sent).toHaveBeenCalledOnce());
  });

  it('is uploaded with its square and shown in the header at once', async () => {
    const { server, person } = await open();
    let sent: FormData | undefined;
    onPost(avatar, async ({ request }) => {
      sent = await request.formData();
      server.user = { ...server.user, avatar: '/avatar/new' };
      return ok('/avatar/new');
    });
    choose(png());
    await person.click(await dialog().findByRole('button', { name: 'Use this picture' }));
    await waitFor(() => expect(toasts()).toMatchObject([{ tone: 'success', title: 'Picture changed' }]));
    expect([...(sent?.keys() ?? [])].sort()).toEqual(['avatarFile', 'crop']);
    // Of a file created by jsdom, only the type arrives here.
    expect(sent?.get('avatarFile')).toHaveProperty('type', 'image/png');
    expect(sent?.get('crop')).toBe('150,0,600');
    await waitForDialogClosed();
    const pictures = [...document.querySelectorAll('header img, main img')].map((image) => image.getAttribute('src'));
    expect(pictures).toEqual(['http://farm.test/avatar/new', 'http://farm.test/avatar/new']);
  });

  it('can be dropped', async () => {
    await open();
    const place = dialog().getByText('Choose a file or drop it here').closest('label') as HTMLElement;
    fireEvent.drop(place, { dataTransfer: { files: [png()] } });
    expect(await dialog().findByRole('group', { name: 'The part that is kept' })).toBeInTheDocument();
  });

  it.each([
    ['no picture', new File(['GIF89a'], 'me.png'), 'Only JPEG, PNG and WebP pictures can be used'],
    ['more than 5 MiB', png(5 * 1024 * 1024 + 1), 'The file is 5.1 MB; at most 5 MB can be used'],
  ])('is refused before the upload if it has %s', async (_, file, words) => {
    await open();
    choose(file);
    expect(await dialog().findByRole('alert')).toHaveTextContent(words);
    choose(png());
    expect(await dialog().findByRole('group')).toBeInTheDocument();
    expect(dialog().queryByRole('alert')).toBeNull();
  });

  it('is refused before the upload if it is damaged', async () => {
    vi.stubGlobal('createImageBitmap', () => Promise.reject(new DOMException('no', 'InvalidStateError')));
    await open();
    choose(png());
    expect(await dialog().findByRole('alert')).toHaveTextContent(
      'This picture cannot be read, the file may be damaged',
    );
    expect(dialog().queryByRole('button', { name: 'Use this picture' })).toBeNull();
  });

  it('shows the progress and a failure of the upload', async () => {
    const { person } = await open();
    const answer = gate();
    onPost(avatar, async () => {
      await answer.passed;
      return refused(601, 'The picture has too many pixels: at most 40 million');
    });
    choose(png());
    await person.click(await dialog().findByRole('button', { name: 'Use this picture' }));
    expect(await dialog().findByRole('progressbar')).toBeInTheDocument();
    expect(dialog().getByRole('button', { name: /Sending \d+\s*%/ })).toBeInTheDocument();
    answer.open();
    expect(await dialog().findByRole('alert')).toHaveTextContent(
      'Could not change the pictureThe picture has too many pixels: at most 40 million',
    );
    expect(toasts()).toEqual([]);
    expect(dialog().getByRole('button', { name: /Use this picture$/ })).toBeEnabled();
  });

  it('can be replaced by another one', async () => {
    const { person } = await open();
    choose(png());
    await person.click(await dialog().findByRole('button', { name: 'Another file' }));
    expect(dialog().getByText('Choose a file or drop it here')).toBeInTheDocument();
  });
});

describe('the square', () => {
  const frame = () => dialog().findByRole('group', { name: 'The part that is kept' });

  it('is moved and zoomed by keyboard', async () => {
    const { person } = await open();
    choose(png());
    (await frame()).focus();
    expect(drawn()).toEqual([150, 0, 600]);
    await person.keyboard('{ArrowLeft}');
    expect(drawn()).toEqual([180, 0, 600]);
    await person.keyboard('{Shift>}{ArrowRight}{/Shift}');
    expect(drawn()).toEqual([60, 0, 600]);
    await person.keyboard('+');
    expect(drawn()?.[2]).toBe(522);
    await person.keyboard('-');
    expect(drawn()?.[2]).toBe(600);
  });

  it('is zoomed by slider and wheel', async () => {
    await open();
    choose(png());
    await frame();
    const slider = dialog().getByRole('slider', { name: 'Zoom' });
    fireEvent.change(slider, { target: { value: '100' } });
    expect(drawn()).toEqual([418, 268, 64]);
    const canvas = screen.getByRole('dialog').querySelector('canvas') as HTMLElement;
    const wheel = new WheelEvent('wheel', { deltaY: 1000, cancelable: true, bubbles: true });
    fireEvent(canvas, wheel);
    expect(wheel.defaultPrevented).toBe(true);
    expect(drawn()?.[2]).toBe(86);
  });

  it('follows the pointer and is zoomed with two fingers', async () => {
    await open();
    choose(png());
    await frame();
    const canvas = screen.getByRole('dialog').querySelector('canvas') as HTMLElement;
    canvas.getBoundingClientRect = () => ({ left: 0, top: 0, width: 300, height: 300 }) as DOMRect;
    const finger = (pointerId: number) => ({
      down: (clientX: number) => fireEvent.pointerDown(canvas, { pointerId, clientX, clientY: 150, button: 0 }),
      move: (clientX: number) => fireEvent.pointerMove(canvas, { pointerId, clientX, clientY: 150 }),
      up: () => fireEvent.pointerUp(canvas, { pointerId }),
    });
    const [one, two] = [finger(1), finger(2)];
    one.move(50);
    expect(drawn()).toEqual([150, 0, 600]);
    one.down(100);
    one.move(130);
    expect(drawn()).toEqual([90, 0, 600]);
    two.down(190);
    two.move(250);
    expect(drawn()?.[2]).toBe(300);
    one.up();
    two.up();
    one.move(0);
    expect(drawn()?.[2]).toBe(300);
  });
});

it.each<[Language, string]>([
  ['zh-cn', '只能使用 JPEG、PNG 或 WebP 图片'],
  ['tr-tr', 'Yalnızca JPEG, PNG ve WebP resimleri kullanılabilir'],
  ['ru-ru', 'Подходят только JPEG, PNG и WebP'],
])('speaks %s', async (language, words) => {
  await open();
  await useLanguage.getState().setLanguage(language);
  choose(new File(['x'], 'x.txt'));
  expect(await dialog().findByRole('alert')).toHaveTextContent(words);
});
