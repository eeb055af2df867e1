import ControlOutlined from '@ant-design/icons/ControlOutlined';
import { useTranslation } from 'react-i18next';
import { shownBySensor } from '@/lib/device/corrected';
import type { Reading } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { withAntd } from './antd/withAntd';
import { lazyComponent } from './lazyComponent';
import { TipMark } from './TipMark';

const CorrectedTip = lazyComponent(() => withAntd(() => import('./CorrectedTip'), 'CorrectedTip'), 'CorrectedTip');

/** The mark of a value that a calibration corrects, with what the sensor shows; nothing for others. */
export function CorrectedMark({ of }: { of: Pick<Reading, 'raw' | 'unit' | 'precision'> | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (of?.raw === undefined) return null;
  const sensor = shownBySensor(of);
  const text = sensor ? t('calibration.corrected', { value: format.reading(sensor) }) : t('calibration.correctedOnly');
  return (
    <TipMark
      label={text}
      icon={<ControlOutlined aria-hidden="true" />}
      tip={(id, open) => <CorrectedTip id={id} open={open} text={text} />}
    />
  );
}
