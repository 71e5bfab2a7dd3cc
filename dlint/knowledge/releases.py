"""Releases of torch: which Pythons they are made for."""

from __future__ import annotations

# The first torch that has wheels for a Python. Up to 3.11 from the table of versions in torchvision's README
# (https://github.com/pytorch/vision#installation: 3.8 with 1.4, 3.9 with 1.7, 3.10 with 1.11, and for 3.11
# what torch's own release notes say of 1.13); 3.12 from the release notes of torch 2.2, 3.13 from those of
# 2.5, 3.14 from those of 2.9 (https://github.com/pytorch/pytorch/releases).
FIRST_TORCH_OF_PYTHON: dict[tuple[int, ...], tuple[int, ...]] = {
    (3, 8): (1, 4),
    (3, 9): (1, 7),
    (3, 10): (1, 11),
    (3, 11): (1, 13),
    (3, 12): (2, 2),
    (3, 13): (2, 5),
    (3, 14): (2, 9),
}

# The first torch that has a name, by release. Looked up in the wheels themselves: of those in a row (torch
# 1.8.1, 1.9.0, 1.10.0, ..., 2.2.0; torchvision 0.9.1, 0.10.0, ..., 0.17.0) the first with the name counts.
# Of what came later, the release notes say (https://github.com/pytorch/pytorch/releases), and
# https://github.com/pytorch/ignite/pull/3460 of torch.amp.GradScaler. torchvision's releases go with torch's
# by the table in its README, as above: 0.10 with 1.9, 0.11 with 1.10, ..., 0.15 with 2.0, 0.16 with 2.1.
_NAMES = {
    (1, 9): (
        "torch.inference_mode torch.special torch.positive torch.nn.Mish torch.nn.HuberLoss "
        "torch.nn.functional.huber_loss torch.nn.functional.mish torch.nn.utils.parametrize "
        "torch.nn.utils.parametrizations torch.nn.LazyBatchNorm2d torch.testing.assert_close "
        "torch.linalg.vector_norm torch.distributed.elastic torch.distributed.run "
        "torch.jit.optimize_for_inference torchvision.utils.draw_segmentation_masks"
    ),
    (1, 10): (
        "torch.autocast torch.concat torch.cov torch.corrcoef torch.frombuffer torch.isin torch.aminmax "
        "torch.ao.quantization torch.cuda.is_bf16_supported torch.cuda.mem_get_info torch.optim.NAdam "
        "torch.optim.RAdam torch.optim.lr_scheduler.SequentialLR torch.optim.lr_scheduler.LinearLR "
        "torch.optim.lr_scheduler.ConstantLR torch.optim.lr_scheduler.ChainedScheduler "
        "torchvision.transforms.RandAugment torchvision.transforms.TrivialAugmentWide "
        "torchvision.models.efficientnet_b0 torchvision.models.efficientnet "
        "torchvision.models.regnet_y_400mf torchvision.models.feature_extraction "
        "torchvision.ops.StochasticDepth torchvision.ops.masks_to_boxes torchvision.ops.SqueezeExcitation"
    ),
    (1, 11): (
        "torch.asarray torch.argwhere torch.utils.data.default_collate torch.utils.data.default_convert "
        "torch.distributed.fsdp torchvision.models.vit_b_16 torchvision.models.convnext_tiny "
        "torchvision.models.vision_transformer torchvision.models.convnext "
        "torchvision.models.optical_flow torchvision.utils.draw_keypoints "
        "torchvision.utils.flow_to_image torchvision.ops.generalized_box_iou_loss"
    ),
    (1, 12): (
        "torch.amp torch.backends.mps torch.set_float32_matmul_precision torch.nested "
        "torch.nn.utils.stateless torchvision.models.get_weight torchvision.models.WeightsEnum "
        "torchvision.models.swin_t torchvision.models.swin_transformer "
        "torchvision.models.efficientnet_v2_s torchvision.transforms.AugMix torchvision.ops.MLP "
        "torchvision.ops.Conv2dNormActivation"
    ),
    (1, 13): (
        "torch.masked torch.optim.lr_scheduler.PolynomialLR torchvision.models.get_model "
        "torchvision.models.maxvit_t torchvision.transforms.ElasticTransform"
    ),
    (2, 0): (
        "torch.compile torch.func torch.vmap torch.mps torch.set_default_device torch._dynamo "
        "torch._inductor torch.nn.functional.scaled_dot_product_attention "
        "torch.optim.lr_scheduler.LRScheduler torch.distributed.checkpoint torchvision.transforms.v2 "
        "torchvision.datapoints"
    ),
    (2, 1): "torch.export torch.compiler torch.utils.data.StackDataset torchvision.tv_tensors",
    (2, 2): "torch.nn.attention torch.distributed.device_mesh torch.unravel_index",
    (2, 3): "torch.amp.GradScaler torch.get_default_device",
    (2, 4): "torch.nn.RMSNorm torch.nn.functional.rms_norm",
}
FIRST_TORCH_WITH: dict[str, tuple[int, ...]] = {
    name: release for release, names in _NAMES.items() for name in names.split()
}
# Members of torchvision.models that end like this: ResNet50_Weights.
WEIGHTS, FIRST_TORCH_WITH_WEIGHTS = "_Weights", (1, 12)

# What Python's grammar took in later, by the name of its node: the first Python that can read it.
FIRST_PYTHON_WITH: dict[str, tuple[tuple[int, ...], str]] = {
    "NamedExpr": ((3, 8), ":="),
    "Match": ((3, 10), "match"),
    "TryStar": ((3, 11), "except*"),
    "TypeAlias": ((3, 12), "type"),
}
# A type and None, joined by a bar where that is executed: TypeError in Python 3.9.
FIRST_PYTHON_WITH_BAR = (3, 10)
