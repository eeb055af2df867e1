import { useTranslation } from 'react-i18next';
import { CaptchaError } from '@/lib/http/captcha';
import { errorText } from '@/lib/http/errorText';
import { ErrorNote } from '@/ui/ErrorNote';
import { Loading, Skeleton } from '@/ui/Skeleton';
import css from './CaptchaPanel.module.css';
import { basis } from './puzzle';
import type { useCaptcha } from './useCaptcha';

interface PictureProps {
  state: ReturnType<typeof useCaptcha>['state'];
  onRetry: () => void;
  onBroken: () => void;
}

/** The picture with its gap, and the piece above it. Without a picture its place keeps its size. */
export function Picture({ state: { phase, puzzle, x, error }, onRetry, onBroken }: PictureProps) {
  const { t } = useTranslation();
  if (phase === 'broken') {
    const text = error instanceof CaptchaError && error.message ? error.message : errorText(error);
    return (
      <div className={css.broken}>
        <ErrorNote title={t('captcha.noPicture')} text={text} onRetry={onRetry} />
      </div>
    );
  }
  if (!puzzle) {
    return (
      <div className={css.picture}>
        <Loading>
          <Skeleton height="100%" radius={0} />
        </Loading>
      </div>
    );
  }
  return (
    <div className={css.picture}>
      <img src={puzzle.background} alt={t('captcha.picture')} draggable={false} onError={onBroken} />
      <img
        src={puzzle.piece}
        alt=""
        className={css.piece}
        style={{ left: `${(x / basis.width) * 100}%` }}
        draggable={false}
        onError={onBroken}
      />
    </div>
  );
}
