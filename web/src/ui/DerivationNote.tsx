import FunctionOutlined from '@ant-design/icons/FunctionOutlined';
import { useTranslation } from 'react-i18next';
import type { Derivation } from '@/lib/device/derivation';
import { withAntd } from './antd/withAntd';
import { lazyComponent } from './lazyComponent';
import { TipMark } from './TipMark';

const DerivationTip = lazyComponent(() => withAntd(() => import('./DerivationTip'), 'DerivationTip'), 'DerivationTip');

interface DerivationNoteProps {
  derivation: Derivation;
  /** The device, if the note is about one. */
  deviceName?: string;
}

/**
 * The note of a computed value. On hover, focus or tap it shows the formula and its inputs; for a
 * device also whether the value is an estimate, or why there is none.
 */
export function DerivationNote({ derivation, deviceName }: DerivationNoteProps) {
  const { t } = useTranslation();
  return (
    <TipMark
      label={t('derived.about', { name: derivation.name })}
      icon={<FunctionOutlined aria-hidden="true" />}
      describes
      tip={(id, open) => <DerivationTip id={id} open={open} derivation={derivation} deviceName={deviceName} />}
    />
  );
}
