import ToolOutlined from '@ant-design/icons/ToolOutlined';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/IconButton';
import css from './CalibrateButton.module.css';

/** Calibrates the property of a row. */
export function CalibrateButton({ name, onClick }: { name: string; onClick: () => void }) {
  const { t } = useTranslation();
  return (
    <IconButton
      className={css.button}
      label={t('calibration.calibrateProperty', { name })}
      icon={<ToolOutlined aria-hidden="true" />}
      onClick={onClick}
    />
  );
}
