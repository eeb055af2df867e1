#!/bin/sh
# Makes the videos of the demo's cameras, which are in internal/command/camera: trees that move
# under a drifting sky, which ffmpeg draws from formulas only. The results are an MP4 of 8 seconds
# and the same as HLS. It needs ffmpeg with libx264. Only a change of the picture needs it:
# scripts/demo-video.sh
set -eu
cd "$(dirname "$0")/../internal/command/camera"
rm -f ./*.mp4 ./*.m4s

# Every part repeats after 8 seconds, so that the end continues at the beginning. Y is luminance,
# the other two are chroma: sky, hills, grass.
horizon='(130+18*sin(X/70)+7*sin(X/23+1))'
wave='sin(2*PI*T/8)'
cloud='(14*sin(2*PI*(X/240-T/8)+3*sin(Y/40))*sin(Y/26+1.3))'
tree='lt(abs(mod(X+4*'$wave'*max(0,(215-Y)/110)+20,96)-48),max(0,(Y-95)/4.2))*lt(Y,190)*gt(Y,96)'
trunk='lt(abs(mod(X+20,96)-48),4)*between(Y,185,216)'
furrow='12*sin(2*PI*((X-240)*60/(Y-110+0.01)/40))'
lum="if($trunk,58,if($tree,82+10*sin(X/5+Y/7+T*PI/4),if(lt(Y,$horizon),205-Y/4+$cloud,if(lt(Y,200),118,105+$furrow))))"
# Chroma planes have half the size: X and Y are doubled for the same formulas.
half() { printf '%s' "$1" | sed 's/X/(2*X)/g; s/Y/(2*Y)/g'; }
small_tree=$(half "$tree"); small_trunk=$(half "$trunk"); small_horizon=$(half "$horizon")
cb="if($small_trunk,118,if($small_tree,106,if(lt(2*Y,$small_horizon),148,if(lt(2*Y,200),112,116))))"
cr="if($small_trunk,140,if($small_tree,114,if(lt(2*Y,$small_horizon),118,if(lt(2*Y,200),120,139))))"

ffmpeg -v error -y -f lavfi -i "nullsrc=size=480x270:rate=10:duration=8,format=yuv420p,geq=lum='$lum':cb='$cb':cr='$cr'" \
	-c:v libx264 -profile:v baseline -level 3.0 -pix_fmt yuv420p -preset veryslow -crf 30 -g 20 -keyint_min 20 -sc_threshold 0 \
	-threads 1 -flags +bitexact -fflags +bitexact -map_metadata -1 -movflags +faststart -an orchard.mp4
# Both pieces begin with a key frame. The demo writes the time into each when it is shown, and
# repeats them endlessly with its own playlist.
ffmpeg -v error -y -i orchard.mp4 -c copy -flags +bitexact -fflags +bitexact -f hls -hls_time 4 -hls_playlist_type vod \
	-hls_segment_type fmp4 -hls_fmp4_init_filename orchard-init.mp4 -hls_segment_filename 'orchard%d.m4s' orchard.m3u8
rm orchard.m3u8
ls -l
