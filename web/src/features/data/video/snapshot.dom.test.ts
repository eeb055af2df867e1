import { afterEach, expect, it, vi } from 'vitest';
import { pictureName, savePicture } from './snapshot';

afterEach(() => vi.restoreAllMocks());

it('is named after the camera and the time, with safe characters only', () => {
  const time = new Date('2026-11-21T06:04:09').getTime();
  expect(pictureName('CAM-0093', time)).toBe('CAM-0093_2026-11-21_06-04-09.jpg');
  expect(pictureName('камера:1*?', time)).toBe('камера_1___2026-11-21_06-04-09.jpg');
});

it('is drawn at its own size and saved as a file', async () => {
  const video = document.createElement('video');
  Object.defineProperty(video, 'videoWidth', { value: 640 });
  Object.defineProperty(video, 'videoHeight', { value: 360 });
  const drawImage = vi.fn();
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({ drawImage } as never);
  const sizes: number[] = [];
  vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation(function toBlob(this: HTMLCanvasElement, done) {
    sizes.push(this.width, this.height);
    done(new Blob(['x']));
  });
  URL.createObjectURL = vi.fn(() => 'blob:one');
  URL.revokeObjectURL = vi.fn();
  const clicked: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    clicked.push(this.download, this.href);
  });
  await savePicture(video, 'a.jpg');
  expect(drawImage).toHaveBeenCalledWith(video, 0, 0);
  expect([sizes, clicked]).toEqual([
    [640, 360],
    ['a.jpg', 'blob:one'],
  ]);
  await vi.waitFor(() => expect(URL.revokeObjectURL).toHaveBeenCalledWith('blob:one'));
});

it('fails if the browser creates no file', async () => {
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
  vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation((done) => done(null));
  await expect(savePicture(document.createElement('video'), 'a.jpg')).rejects.toThrow();
});
