	/*
	 * Put into vivid's vivid_create_controls() by setup: the controls that a webcam has and vivid lacks. They keep
	 * their values and change nothing of the picture. The automatic modes hold what they see to, as a webcam's do.
	 */
	if (dev->has_vid_cap) {
		/* Clusters keep these arrays for as long as their controls live; a test's kernel may lose them. */
		struct v4l2_ctrl **exposure = kcalloc(2, sizeof(*exposure), GFP_KERNEL);
		struct v4l2_ctrl **focus = kcalloc(2, sizeof(*focus), GFP_KERNEL);
		struct v4l2_ctrl **balance = kcalloc(2, sizeof(*balance), GFP_KERNEL);

		if (exposure && focus && balance) {
			exposure[0] = v4l2_ctrl_new_std_menu(hdl_user_vid, &vivid_user_vid_ctrl_ops,
				V4L2_CID_EXPOSURE_AUTO, V4L2_EXPOSURE_APERTURE_PRIORITY,
				~(BIT(V4L2_EXPOSURE_MANUAL) | BIT(V4L2_EXPOSURE_APERTURE_PRIORITY)),
				V4L2_EXPOSURE_APERTURE_PRIORITY);
			exposure[1] = v4l2_ctrl_new_std(hdl_user_vid, &vivid_user_vid_ctrl_ops,
				V4L2_CID_EXPOSURE_ABSOLUTE, 3, 2047, 1, 250);
			focus[0] = v4l2_ctrl_new_std(hdl_user_vid, &vivid_user_vid_ctrl_ops, V4L2_CID_FOCUS_AUTO, 0, 1, 1, 1);
			focus[1] = v4l2_ctrl_new_std(hdl_user_vid, &vivid_user_vid_ctrl_ops,
				V4L2_CID_FOCUS_ABSOLUTE, 0, 250, 5, 0);
			balance[0] = v4l2_ctrl_new_std(hdl_user_vid, &vivid_user_vid_ctrl_ops,
				V4L2_CID_AUTO_WHITE_BALANCE, 0, 1, 1, 1);
			balance[1] = v4l2_ctrl_new_std(hdl_user_vid, &vivid_user_vid_ctrl_ops,
				V4L2_CID_WHITE_BALANCE_TEMPERATURE, 2000, 6500, 100, 4000);
			v4l2_ctrl_new_std(hdl_user_vid, &vivid_user_vid_ctrl_ops, V4L2_CID_ZOOM_ABSOLUTE, 100, 500, 1, 100);
			/* A lamp, which a V4L2 flash driver has and webcams sold today don't. */
			v4l2_ctrl_new_std_menu(hdl_user_vid, &vivid_user_vid_ctrl_ops, V4L2_CID_FLASH_LED_MODE,
				V4L2_FLASH_LED_MODE_TORCH, 0, V4L2_FLASH_LED_MODE_NONE);
			v4l2_ctrl_new_std(hdl_user_vid, &vivid_user_vid_ctrl_ops,
				V4L2_CID_FLASH_TORCH_INTENSITY, 1, 10, 1, 5);
			v4l2_ctrl_auto_cluster(2, exposure, V4L2_EXPOSURE_MANUAL, false);
			v4l2_ctrl_auto_cluster(2, focus, 0, false);
			v4l2_ctrl_auto_cluster(2, balance, 0, false);
		}
	}
