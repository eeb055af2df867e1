import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import CloseCircleOutlined from '@ant-design/icons/CloseCircleOutlined';
import DoubleRightOutlined from '@ant-design/icons/DoubleRightOutlined';
import LoadingOutlined from '@ant-design/icons/LoadingOutlined';
import { type CSSProperties, type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { failureText } from './failureText';
import { maxTravel } from './puzzle';
import css from './Slider.module.css';
import type { useCaptcha } from './useCaptcha';

interface SliderProps {
  captcha: ReturnType<typeof useCaptcha>;
  handle: RefObject<HTMLDivElement | null>;
  hintIds: string;
}

/** How far a key moves the piece: in fine steps and, with Shift, in coarse ones. */
const fine = 1;
const coarse = 10;
const directions: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };

/** The handle that moves the piece, and below it the instruction or the outcome. */
export function Slider({ captcha, handle, hintIds }: SliderProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { phase, x, seconds, error } = captcha.state;
  const track = useRef<HTMLDivElement>(null);
  const dragState = useRef<{ pointer: number; from: number; travel: number } | null>(null);

  // The handle takes the focus, so that keyboard users can continue by keyboard.
  useEffect(() => handle.current?.focus({ preventScroll: true }), [handle]);

  const placeOf = (event: PointerEvent) => {
    if (dragState.current?.pointer !== event.pointerId) return null;
    return ((event.clientX - dragState.current.from) / dragState.current.travel) * maxTravel;
  };

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0 || dragState.current || !captcha.grasp()) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const travel = (track.current?.clientWidth ?? 0) - event.currentTarget.offsetWidth;
    // A drag begins where keys have moved the piece to.
    dragState.current = { pointer: event.pointerId, from: event.clientX - (x / maxTravel) * travel, travel };
  };
  const onPointerMove = (event: PointerEvent) => {
    const place = placeOf(event);
    if (place !== null) captcha.drag(place);
  };
  const onPointerUp = (event: PointerEvent) => {
    const place = placeOf(event);
    if (place === null) return;
    dragState.current = null;
    captcha.drop(place);
  };
  const onPointerCancel = (event: PointerEvent) => {
    if (placeOf(event) === null) return;
    dragState.current = null;
    captcha.cancel();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const direction = directions[event.key];
    if (direction !== undefined) captcha.step(direction * (event.shiftKey ? coarse : fine));
    else if (event.key === 'Enter') captcha.enter();
    else return;
    event.preventDefault();
  };

  const words = {
    idle: x === 0 ? t('captcha.slide') : '',
    dragging: '',
    loading: '',
    broken: '',
    checking: t('captcha.checking'),
    ok: t('captcha.ok', { seconds: format.number(seconds, 1) }),
    fail: failureText(error, t),
  }[phase];

  return (
    <div
      ref={track}
      className={css.track}
      data-phase={phase}
      style={{ '--at': String(x / maxTravel) } as CSSProperties}
    >
      <div className={css.fill} />
      <p className={css.words} role="status">
        {phase === 'ok' ? <CheckCircleFilled aria-hidden="true" /> : null}
        {phase === 'fail' ? <CloseCircleOutlined aria-hidden="true" /> : null}
        {words}
      </p>
      <div
        ref={handle}
        className={css.handle}
        role="slider"
        tabIndex={0}
        aria-label={t('captcha.title')}
        aria-describedby={hintIds}
        aria-valuemin={0}
        aria-valuemax={maxTravel}
        aria-valuenow={Math.round(x)}
        aria-valuetext={t('captcha.position', { percent: format.percent(x / maxTravel) })}
        aria-disabled={phase !== 'idle' && phase !== 'dragging'}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerCancel}
        onKeyDown={onKeyDown}
      >
        {phase === 'checking' ? <LoadingOutlined aria-hidden="true" /> : <DoubleRightOutlined aria-hidden="true" />}
      </div>
    </div>
  );
}
