import PictureOutlined from '@ant-design/icons/PictureOutlined';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { useFormat } from '@/lib/format/format';
import { api } from '@/lib/http/api';
import { formErrorText } from '@/lib/http/errorText';
import { userQuery } from '@/lib/http/queries';
import { Dialog } from '@/ui/Dialog';
import { FileDrop } from '@/ui/FileDrop';
import { SendButton } from '@/ui/form/SendButton';
import { Note } from '@/ui/Note';
import css from './AvatarDialog.module.css';
import { CropBox } from './CropBox';
import { type Crop, centredCrop, cropText } from './crop';
import { openPicture, type Picture, type PictureError, pictureTypes, RejectedPictureError } from './picture';

interface AvatarDialogProps {
  open: boolean;
  onClose: () => void;
}

interface Chosen {
  picture: Picture;
  crop: Crop;
}

/** Chooses a file and the part of it to keep, and uploads it. */
export function AvatarDialog({ open, onClose }: AvatarDialogProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [refused, setRefused] = useState<{ reason: PictureError; bytes: number } | null>(null);
  const [reading, setReading] = useState(false);
  const [share, setShare] = useState(0);
  const sending = useRef<AbortController | null>(null);
  // The file that was chosen last: an earlier one may take longer to read.
  const latest = useRef<File | null>(null);

  const upload = useMutation({
    mutationFn: ({ picture, crop }: Chosen) => {
      sending.current = new AbortController();
      return api.upload('/admin-api/client/pc/user/update-avatar', {
        parts: { avatarFile: picture.file, crop: cropText(crop, picture.size) },
        onProgress: setShare,
        signal: sending.current.signal,
      });
    },
    meta: { shows: [601], failure: 'avatar.fail' },
    onMutate: () => setShare(0),
    onSuccess: (avatar) => {
      const { queryKey } = userQuery();
      client.setQueryData(queryKey, (user) => user && { ...user, avatar });
      void client.invalidateQueries({ queryKey });
      toast.success(t('avatar.ok'));
      onClose();
    },
  });

  const choose = (file: File) => {
    latest.current = file;
    setRefused(null);
    setReading(true);
    upload.reset();
    openPicture(file)
      .then(
        (picture) => {
          if (latest.current === file) setChosen({ picture, crop: centredCrop(picture.size) });
          else picture.image.close();
        },
        (error: unknown) => {
          if (latest.current !== file) return;
          const reason = error instanceof RejectedPictureError ? error.reason : 'avatar.unreadable';
          setRefused({ reason, bytes: file.size });
        },
      )
      .finally(() => {
        if (latest.current === file) setReading(false);
      });
  };

  const forget = () => {
    latest.current = null;
    setChosen(null);
    setRefused(null);
    setReading(false);
    upload.reset();
  };

  const close = () => {
    sending.current?.abort();
    onClose();
  };

  // The pixels take much memory, so they are released without waiting for the garbage collector.
  const image = chosen?.picture.image;
  useEffect(() => () => image?.close(), [image]);

  const why = refused
    ? t(refused.reason, { size: format.number(Math.ceil((refused.bytes / 1024 / 1024) * 10) / 10, 1) })
    : undefined;
  const failure = upload.isPending ? undefined : formErrorText(upload.error);

  return (
    <Dialog
      open={open}
      title={t('avatar.title')}
      onClose={close}
      onClosed={forget}
      footer={
        chosen ? (
          <>
            <Button onClick={forget} disabled={upload.isPending}>
              {t('avatar.other')}
            </Button>
            <SendButton htmlType="button" loading={upload.isPending} onClick={() => upload.mutate(chosen)}>
              {upload.isPending ? t('avatar.sending', { percent: format.percent(share) }) : t('avatar.use')}
            </SendButton>
          </>
        ) : (
          <Button onClick={close}>{t('common.cancel')}</Button>
        )
      }
    >
      {why !== undefined || failure !== undefined ? (
        <div className={css.error}>
          <Note tone="wrong" title={why === undefined ? t('avatar.fail') : undefined}>
            {why ?? failure}
          </Note>
        </div>
      ) : null}
      {chosen ? (
        <CropBox
          picture={chosen.picture}
          crop={chosen.crop}
          onCrop={(change) => setChosen((now) => now && { ...now, crop: change(now.crop) })}
        />
      ) : (
        <FileDrop
          icon={<PictureOutlined />}
          words={t('avatar.choose')}
          kinds={t('avatar.kinds')}
          accept={pictureTypes.join(',')}
          onFile={choose}
          busy={reading}
        />
      )}
      {upload.isPending ? (
        <progress className={css.progress} max={1} value={share} aria-label={t('avatar.title')} />
      ) : null}
    </Dialog>
  );
}
