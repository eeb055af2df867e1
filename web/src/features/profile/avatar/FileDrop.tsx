import PictureOutlined from '@ant-design/icons/PictureOutlined';
import { type DragEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import css from './FileDrop.module.css';
import { pictureTypes } from './picture';

interface FileDropProps {
  onFile: (file: File) => void;
  busy: boolean;
}

/** An area on which a file is chosen or dropped. */
export function FileDrop({ onFile, busy }: FileDropProps) {
  const { t } = useTranslation();
  const [over, setOver] = useState(false);

  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  };

  return (
    <label
      className={`${css.drop} ${over ? css.over : ''}`}
      aria-busy={busy}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <PictureOutlined className={css.icon} aria-hidden="true" />
      <span className={css.words}>{t('avatar.choose')}</span>
      <span className={css.kinds}>{t('avatar.kinds')}</span>
      <input
        type="file"
        className="visually-hidden"
        accept={pictureTypes.join(',')}
        disabled={busy}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          // Cleared, so that the same file may be chosen again.
          event.target.value = '';
          if (file) onFile(file);
        }}
      />
    </label>
  );
}
