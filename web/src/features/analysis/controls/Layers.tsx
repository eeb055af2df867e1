import CheckOutlined from '@ant-design/icons/CheckOutlined';
import { useTranslation } from 'react-i18next';
import { type Layer, layers } from '../search';
import css from './controls.module.css';

interface LayersProps {
  shows: (layer: Layer) => boolean;
  /** Why a layer cannot be shown now; undefined: it can. */
  reasonAgainst: (layer: Layer) => string | undefined;
  onToggle: (layer: Layer) => void;
}

/** What is drawn over the lines, each to switch on and off. */
export function Layers({ shows, reasonAgainst, onToggle }: LayersProps) {
  const { t } = useTranslation();
  return (
    <fieldset className={css.layers}>
      <legend className="visually-hidden">{t('analysis.layers.label')}</legend>
      {layers.map((layer) => {
        const against = reasonAgainst(layer);
        const on = shows(layer) && against === undefined;
        return (
          <button
            key={layer}
            type="button"
            className={css.layer}
            aria-pressed={on}
            aria-disabled={against !== undefined}
            title={against}
            onClick={() => {
              if (against === undefined) onToggle(layer);
            }}
          >
            <span className={css.tick}>{on ? <CheckOutlined aria-hidden="true" /> : null}</span>
            {t(`analysis.layers.${layer}`)}
          </button>
        );
      })}
      {layers
        .map(reasonAgainst)
        .filter((reason) => reason !== undefined)
        .map((reason) => (
          <p key={reason} className={css.reason}>
            {reason}
          </p>
        ))}
    </fieldset>
  );
}
