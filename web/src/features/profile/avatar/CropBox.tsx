import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import css from './CropBox.module.css';
import { type Crop, moveCrop, withZoom, zoomCrop, zoomOf } from './crop';
import type { Picture } from './picture';

interface CropBoxProps {
  picture: Picture;
  crop: Crop;
  onCrop: (change: (crop: Crop) => Crop) => void;
}

/** Pixels of the canvas; the server keeps 256. */
const canvasSize = 512;
const step = 0.05;
const zoomStep = 1.15;

const arrowMoves = new Map([
  ['ArrowLeft', { right: -1, down: 0 }],
  ['ArrowRight', { right: 1, down: 0 }],
  ['ArrowUp', { right: 0, down: -1 }],
  ['ArrowDown', { right: 0, down: 1 }],
]);
/** On many keyboards, the key of "+" without Shift is "=". */
const zoomKeys = new Map([
  ['+', zoomStep],
  ['=', zoomStep],
  ['-', 1 / zoomStep],
]);

/**
 * The square that is kept, over the picture, which is moved and zoomed by mouse, fingers or
 * keyboard.
 */
export function CropBox({ picture, crop, onCrop }: CropBoxProps) {
  const { t } = useTranslation();
  const hint = useId();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { size } = picture;
  const change = useRef(onCrop);
  change.current = onCrop;

  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context) return;
    const share = picture.image.width / size.width;
    context.clearRect(0, 0, canvasSize, canvasSize);
    context.imageSmoothingQuality = 'high';
    context.drawImage(
      picture.image,
      crop.x * share,
      crop.y * share,
      crop.side * share,
      crop.side * share,
      0,
      0,
      canvasSize,
      canvasSize,
    );
  }, [picture, size, crop]);

  // Listeners added by React cannot keep the page from scrolling.
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const at = pointIn(element, event);
      const factor = Math.exp(-Math.max(-120, Math.min(120, event.deltaY)) / 400);
      change.current((now) => zoomCrop(now, size, factor, at));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [size]);

  const fingers = usePinchAndDrag((right, down, factor, at) =>
    onCrop((now) => zoomCrop(moveCrop(now, size, right, down), size, factor, at)),
  );

  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = arrowMoves.get(event.key);
    const factor = zoomKeys.get(event.key);
    if (!way && !factor) return;
    event.preventDefault();
    const by = event.shiftKey ? step * 4 : step;
    if (way) onCrop((now) => moveCrop(now, size, way.right * by, way.down * by));
    if (factor) onCrop((now) => zoomCrop(now, size, factor));
  };

  return (
    <div className={css.box}>
      {/* biome-ignore lint/a11y/useSemanticElements: no element of HTML moves a picture in two directions */}
      <div
        className={css.frame}
        role="group"
        aria-label={t('avatar.crop')}
        aria-describedby={hint}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard moves the picture here
        tabIndex={0}
        onKeyDown={onKey}
      >
        <canvas ref={canvas} width={canvasSize} height={canvasSize} className={css.canvas} {...fingers} />
        <span className={css.ring} aria-hidden="true" />
      </div>
      <label className={css.zoom}>
        {t('avatar.zoom')}
        <input
          type="range"
          min={0}
          max={100}
          step={1}
          value={Math.round(zoomOf(crop, size) * 100)}
          onChange={(event) => {
            const zoom = Number(event.target.value) / 100;
            onCrop((now) => withZoom(now, size, zoom));
          }}
        />
      </label>
      <p className={css.hint} id={hint}>
        {t('avatar.cropHint')}
      </p>
    </div>
  );
}

/** The pointer's position in an element, as shares of its sides. */
function pointIn(element: Element, { clientX, clientY }: { clientX: number; clientY: number }) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: (clientX - left) / (width || 1), y: (clientY - top) / (height || 1) };
}

type Point = { x: number; y: number };
type Gesture = (right: number, down: number, factor: number, at: Point) => void;

const midpoint = (points: Point[]): Point => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
});
const fingerDistance = ([a, b]: Point[]): number => (a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0);

/** One finger or the mouse drags, two fingers drag and zoom. */
function usePinchAndDrag(onGesture: Gesture) {
  const down = useRef(new Map<number, Point>());

  const onMove = (event: PointerEvent<HTMLCanvasElement>) => {
    if (!down.current.has(event.pointerId)) return;
    const before = [...down.current.values()];
    down.current.set(event.pointerId, pointIn(event.currentTarget, event));
    const after = [...down.current.values()];
    const [from, to] = [midpoint(before), midpoint(after)];
    const factor = fingerDistance(before) > 0 ? fingerDistance(after) / fingerDistance(before) : 1;
    onGesture(to.x - from.x, to.y - from.y, factor || 1, to);
  };
  const onUp = (event: PointerEvent) => down.current.delete(event.pointerId);

  return {
    onPointerDown: (event: PointerEvent<HTMLCanvasElement>) => {
      if (event.button !== 0 || down.current.size >= 2) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      down.current.set(event.pointerId, pointIn(event.currentTarget, event));
    },
    onPointerMove: onMove,
    onPointerUp: onUp,
    onPointerCancel: onUp,
    onLostPointerCapture: onUp,
  };
}
