import FullscreenOutlined from '@ant-design/icons/FullscreenOutlined';
import ZoomInOutlined from '@ant-design/icons/ZoomInOutlined';
import ZoomOutOutlined from '@ant-design/icons/ZoomOutOutlined';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/IconButton';
import { Skeleton } from '@/ui/Skeleton';
import type { Model } from './model';
import { RangeStrip } from './RangeStrip';
import type { Span } from './range';
import css from './WindowBar.module.css';
import { zoom } from './window';

interface WindowBarProps {
  /** Null until there is something to show. */
  model: Model | null;
  range: Span;
  window: Span;
  onWindow: (window: Span) => void;
}

/**
 * Below the chart: which part of the range it shows, and buttons for users without a wheel or touch
 * screen.
 */
export function WindowBar({ model, range, window, onWindow }: WindowBarProps) {
  const { t } = useTranslation();
  const buttons = [
    { label: t('history.zoomIn'), icon: <ZoomInOutlined aria-hidden="true" />, to: () => zoom(window, range, 0.5) },
    { label: t('history.zoomOut'), icon: <ZoomOutOutlined aria-hidden="true" />, to: () => zoom(window, range, 2) },
    { label: t('history.zoomAll'), icon: <FullscreenOutlined aria-hidden="true" />, to: () => range },
  ];
  return (
    <div className={css.bar}>
      <div className={css.zoom}>
        {buttons.map(({ label, icon, to }) => (
          <IconButton key={label} icon={icon} label={label} onClick={() => onWindow(to())} />
        ))}
      </div>
      <div className={css.strip}>
        {model ? (
          <RangeStrip model={model} range={range} window={window} onWindow={onWindow} />
        ) : (
          <Skeleton height={66} />
        )}
      </div>
    </div>
  );
}
