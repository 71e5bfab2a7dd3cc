"""Devices: which names mean a GPU, which arguments of torch's calls name a device, and which of its calls
need the GPU.

Measured with torch 2.11 on an H100, each call in a forked worker whose parent had put a tensor on the GPU,
and each in a parent whose forked workers call ``.cuda()``.
"""

from __future__ import annotations

from dlint.regex import regex

# Methods that put a tensor, a module or a batch on the device that they are told.
MOVES = frozenset({"to", "to_empty", "cuda"})
# The method that makes a tensor one of another type, such as one of the GPU's.
TYPED = "type"
# The keywords by which torch's functions take a device.
DEVICE_KEYWORDS = ("device", "map_location")
# What makes a device of a string or a number, and the keywords by which it takes them.
DEVICE = "torch.device"
DEVICE_NAMES = ("type", "device")
# What tells the GPU in use, by its number or as a device.
PRESENT_GPU = frozenset(
    {
        "torch.accelerator.current_accelerator",
        "torch.accelerator.current_device_index",
        "torch.cuda.current_device",
    }
)
# What chooses the device itself, a GPU where there is one: the argument that says otherwise, by its keyword
# and position, and what it is where it does not: Accelerator(cpu=False), Fabric(accelerator="auto").
CHOOSE_DEVICE: dict[str, tuple[str, int | None, tuple[object, ...]]] = {
    "accelerate.Accelerator": ("cpu", None, (False, None)),
    "accelerate.PartialState": ("cpu", 0, (False, None)),
    "lightning_fabric.Fabric": ("accelerator", 0, ("auto", "cuda", "gpu")),
}
# Methods that give back the network whose they are, moved or told something.
_GIVE_ITSELF = frozenset(
    {*MOVES, "apply", "bfloat16", "cpu", "double", "eval", "float", "half", "requires_grad_", "share_memory"}
    | {"train"}
)
# Networks that a trainer moves to the GPU where there is one, and how it is told not to.
TRAINED_NETWORKS = frozenset({"pytorch_lightning.LightningModule"})
ON_CPU = regex(r"""accelerator["']?\s*[=:]\s*["']cpu["']""")
# The variable that says which GPUs there are, and what it is where there are none.
VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES"
NO_DEVICES = ("", "-1")
# The keyword by which ``from_pretrained`` takes a device, or a way to spread a network over all GPUs.
DEVICE_MAP = "device_map"
SPREAD = frozenset({"auto", "balanced", "balanced_low_0", "sequential"})
# Functions of libraries that load a network onto the device that they are told.
LOADS_NETWORK = frozenset(
    {
        *("clip.load", "whisper.load_model", "transformers.pipeline"),
        *("open_clip.create_model", "open_clip.create_model_and_transforms"),
        *("sentence_transformers.SentenceTransformer", "sentence_transformers.CrossEncoder"),
    }
)
# Methods of these that move a network to the device.
PREPARE = frozenset(
    {
        "accelerate.Accelerator().prepare",
        "accelerate.Accelerator().prepare_model",
        "lightning_fabric.Fabric().setup",
        "lightning_fabric.Fabric().setup_module",
        "lightning_fabric.Fabric().to_device",
    }
)
# Constructors whose tensors are on the GPU: torch.cuda.FloatTensor(...).
_TYPES = "torch.cuda."
# The method, and the keyword of torch's functions, that put a tensor in memory which CUDA has pinned.
PIN = "pin_memory"
# torch's functions that use the GPU itself. What only asks for it, seeds it later or does nothing where it
# is not in use works: is_available, device_count, manual_seed_all, empty_cache, memory_allocated, autocast.
NEED_GPU = frozenset(
    f"torch.cuda.{name}"
    for name in (
        *("Stream", "current_device", "get_device_capability", "get_device_name", "get_device_properties"),
        *("get_rng_state", "get_rng_state_all", "init", "ipc_collect", "is_bf16_supported", "mem_get_info"),
        *("reset_peak_memory_stats", "set_device", "synchronize"),
    )
)
# What puts the generators of all GPUs back unless it is told which, or to do nothing, by these keywords.
FORK_RNG = frozenset({"torch.fork_rng", "torch.random.fork_rng"})
FORK_RNG_TOLD = ("devices", "enabled")
# What says on which device tensors are made that are not told one.
SET_DEFAULT = frozenset({"torch.set_default_device", "torch.set_default_tensor_type"})
# What makes such tensors; from_numpy, stack and the like leave theirs where they are.
MAKERS = frozenset(
    f"torch.{name}"
    for name in (
        *("arange", "as_tensor", "empty", "eye", "full", "linspace", "normal", "ones", "rand", "randint"),
        *("randn", "randperm", "tensor", "zeros"),
    )
)
# After these in the parent a forked worker cannot use CUDA; device_count and the seeds leave it able to.
ENDS_FOR_FORKED = frozenset(
    {
        "torch.accelerator.is_available",
        "torch.cuda.current_device",
        "torch.cuda.get_device_name",
        "torch.cuda.get_device_properties",
        "torch.cuda.is_available",
        "torch.cuda.set_device",
        "torch.cuda.synchronize",
    }
)
# Attributes and methods of tensors that need what they hold, and methods that run a network. The others tell
# of a tensor (shape, device, stride), are a network's settings, or are its own: nobody knows what they do.
_NEED_DATA = frozenset(
    """abs add all amax amin any argmax argmin argsort bmm clamp clone contiguous copy_ cos cpu cuda cumsum
    detach div double encode encode_image encode_text exp expand fill_ flatten flip float forward gather
    generate get_image_features get_text_features half index_fill index_select int item log long
    masked_fill masked_select matmul max mean median min mm mul narrow nonzero norm numpy permute pow
    predict repeat reshape roll sin softmax sort split sqrt square squeeze std sub sum t to tolist topk
    transpose unbind unique unsqueeze var view where zero_""".split()  # noqa: SIM905
)
# Methods of a tensor, or of a module, that give one where that is; a tensor's are torch's functions, too.
_STAYS = frozenset(
    """abs add amax amin argmax argmin argsort bfloat16 bmm bool clamp clone contiguous cos cov cumsum
    detach diff div double eval exp expand flatten flip float floor gather half index_select int log
    log_softmax long masked_fill masked_select matmul max mean median min mm mode mul multinomial narrow
    neg nonzero norm permute pow prod quantile relu repeat repeat_interleave requires_grad_ reshape roll
    round sample select share_memory_ sigmoid sign sin softmax sort sqrt square squeeze std sub sum t
    tanh to_dense topk train transpose tril triu type unbind unflatten unfold unique unsqueeze var view
    where""".split()  # noqa: SIM905
)
# Attributes that are parts of a tensor, or it in another form, where it is.
_PARTS = frozenset({"H", "T", "data", "imag", "indices", "mH", "mT", "real", "values"})
# torch's functions of tensors, which leave them where they are.
_FUNCTIONS = ("torch.nn.functional.", "torch.linalg.", "torch.special.")
# Decorators that say how a function is run, by their last names.
_RUN_SO = ("no_grad", "inference_mode", "autocast")
# What a test says that asks where a tensor is, or who runs it.
_ASKS_PLACE = regex(r"worker|is_cuda|is_cpu|get_device|\.device\b")
# Whose modules give what they make of tensors where they and those are.
_NETWORKS = ("torch.nn.", "torchvision.models.")
_PRETRAINED = regex(
    r"(?:diffusers|transformers)\.(?:\w+\.)*\w*(?:Autoencoder|Model|UNet|For[A-Z])\w*\.from_pretrained"
)
# Their methods that make something of tensors as a call of them does, and the parts of what they give. A
# model that comes with its own code may encode texts as arrays.
_RUNS_BY = {
    "decode": "diffusers.",
    "encode": "diffusers.",
    "get_image_features": "transformers.",
    "get_text_features": "transformers.",
}
_OUTPUTS = frozenset(
    {"image_embeds", "last_hidden_state", "latent_dist", "logits", "pooler_output", "text_embeds"}
)
# Words of a network's code that may bring back what it gives.
_BRINGS_BACK = regex(r"\bcpu\b|\.numpy\(|\.item\(|\.tolist\(|\.to\(")


def is_cuda(name: object) -> bool:
    """Whether a device's name means a CUDA GPU (``cuda``, ``cuda:1``)."""
    return isinstance(name, str) and name.partition(":")[0] == "cuda"


def is_number_of_gpu(name: object) -> bool:
    """Whether a device is told by a number, which counts GPUs: no bool, and no -1, which some take for the
    CPU."""
    return type(name) is int and name >= 0


def makes_cuda_tensor(name: str) -> bool:
    """Whether a library name is one of torch's tensor types on the GPU."""
    return name.startswith(_TYPES) and name.endswith("Tensor")


def makes_tensor(name: str) -> bool:
    """Whether a library name is one of torch's own functions (``torch.zeros``), which make tensors."""
    return name.startswith("torch.") and name.count(".") == 1


def needs_its_data(name: str) -> bool:
    """Whether an attribute or method of a tensor or a network surely needs what that holds."""
    return name in _NEED_DATA


def stays_there(method: str) -> bool:
    """Whether what a method of a tensor or module gives is where that is."""
    return method in _STAYS


def part_stays_there(attribute: str) -> bool:
    """Whether an attribute of a tensor is a tensor where that is (``x.T``), or a part of what a network gives
    is."""
    return attribute in _PARTS or attribute in _OUTPUTS


def leaves_there(function: str) -> bool:
    """Whether what one of torch's functions makes of a tensor is where that is: ``torch.mean``."""
    return (
        function.startswith("torch.") and function.count(".") == 1 and stays_there(function[len("torch.") :])
    ) or function.startswith(_FUNCTIONS)


def is_network(name: str) -> bool:
    """Whether a library's class, or function, makes networks that give what they make of tensors where those
    are."""
    return name.startswith(_NETWORKS) or _PRETRAINED.fullmatch(name) is not None


def gives_itself(method: str) -> bool:
    """Whether a network's own method of this name gives back the network."""
    return method in _GIVE_ITSELF


def runs_network(method: str, network: str) -> bool:
    """Whether a method of a network that transformers or diffusers load makes something of tensors where
    these are: ``vae.encode(images)``."""
    library = _RUNS_BY.get(method)
    return library is not None and network.startswith(library) and is_network(network)


def may_run_network(method: str) -> bool:
    """Whether a method is called as one that does."""
    return method in _RUNS_BY


def may_bring_back(text: str) -> bool:
    """Whether the code of a network says something by which what it gives may be on the CPU."""
    return _BRINGS_BACK.search(text) is not None


def leaves_result(decorator: str) -> bool:
    """Whether a decorator, as it is written, gives what the function gives: ``torch.no_grad()``."""
    return decorator.partition("(")[0].rpartition(".")[2] in _RUN_SO


def asks_place(test: str) -> bool:
    """Whether a test asks where a tensor is, or who runs it."""
    return _ASKS_PLACE.search(test) is not None


def takes_default_device(name: str) -> bool:
    """Whether one of torch's functions, or a class of networks, makes its tensors on the default device."""
    return name in MAKERS or (name.startswith("torch.nn.") and name.rpartition(".")[2][:1].isupper())


def asks_for_gpu(test: str) -> bool:
    """Whether a test is no more than the question whether there is a GPU: ``torch.cuda.is_available()``."""
    return test.endswith("cuda.is_available()") and not test.startswith("not ")
